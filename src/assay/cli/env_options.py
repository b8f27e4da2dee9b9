"""The options of `assay env build`, each with the line that `--help` prints."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

RepositoryPlace = Annotated[
    Path | None, typer.Argument(help="A folder of code, or a git repository (a bare one too).")
]
PaperName = Annotated[
    str | None,
    typer.Option(help="In its place a paper of a fetched benchmark; its suite finds the lock."),
]
CommitName = Annotated[str | None, typer.Option(help="The commit; without it, the files in the folder.")]
LastDay = Annotated[
    str | None,
    typer.Option(help="The last day of releases (2024-05-30); without it, the day of the commit."),
]
PythonVersion = Annotated[
    str | None, typer.Option(help="The interpreter (3.10); if left out, by metadata or date.")
]
SmokeCommand = Annotated[
    str | None, typer.Option(help="A short command of the repository, run by bash there.")
]
SmokeSeconds = Annotated[float, typer.Option(min=1, help="The limit on the smoke run.")]
LockFile = Annotated[Path | None, typer.Option(help="Where the lock is written.")]
WithInstall = Annotated[bool, typer.Option(help="Install and verify, or only resolve.")]
WithGpu = Annotated[
    bool | None,
    typer.Option(
        "--gpu/--cpu",
        help="Install builds for CUDA, with gigabytes of libraries, or builds for the CPU; "
        "by default as this machine has a GPU or not.",
    ),
]
