"""The options of `assay mask`, each with the line that `--help` prints."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Strings = list[str] | None

RepositoryFolder = Annotated[Path, typer.Argument(help="A folder of Python code.")]
RunCommand = Annotated[
    str, typer.Option("--run", help="The command that makes the numbers, run by bash there.")
]
TestPlaces = Annotated[
    Strings, typer.Option("--tests", help="Test files or folders that are the run, in place of --run.")
]
TestSeconds = Annotated[
    float, typer.Option(help="Test files that together take longer are left out, the slowest first.")
]
PaperFile = Annotated[
    Path | None, typer.Option("--paper", help="A text about the numbers; the instruction quotes passages.")
]
NumberMeaning = Annotated[str | None, typer.Option("--describe", help="What the numbers mean.")]
OnlyPatterns = Annotated[
    Strings, typer.Option("--only", help="Functions or files to choose from: fit, 'src/*.py', a.py::fit.")
]
ExcludePatterns = Annotated[Strings, typer.Option("--exclude", help="Functions or files never to mask.")]
EnoughFunctions = Annotated[
    int | None, typer.Option("--enough", min=1, help="Stop when this many functions are proved.")
]
MostMinutes = Annotated[float | None, typer.Option("--minutes", help="Start no proof after this time.")]
ParallelRuns = Annotated[
    int | None, typer.Option("--processes", min=1, help="Runs at the same time; one on each core by default.")
]
MetricPlaces = Annotated[
    Strings, typer.Option(help="NAME=FILE.json:dotted.path or NAME=stdout:REGEX; may be given again.")
]
OutFolder = Annotated[Path, typer.Option(help="A new folder: experiment/ and tasks/ are written there.")]
Requirements = Annotated[
    Strings,
    typer.Option(help="A package, or a file that lists them; without it, what the repository says."),
]
PaperId = Annotated[str | None, typer.Option("--id", help="The first part of the task ids.")]
Variations = Annotated[
    Strings,
    typer.Option(help="Hidden variation: seed=N (ASSAY_SEED), data=FILE (ASSAY_DATA), VAR=VALUE."),
]
ArgumentVariations = Annotated[
    Strings, typer.Option(help="Hidden variation: an argument put into the command, as --seed=7.")
]
FunctionsAtOnce = Annotated[str, typer.Option("--n", help="How many functions to mask together: 1, or 1-3.")]
TaskSample = Annotated[
    int | None, typer.Option(min=1, help="At most this many tasks for each n, stratified by data flow.")
]
SampleSeed = Annotated[int, typer.Option(min=0, help="Of the sample and of the mutants.")]
GoldRuns = Annotated[int, typer.Option(min=5, help="Gold runs.")]
RunSeconds = Annotated[float, typer.Option(help="The limit on one run.")]
MostCandidates = Annotated[int, typer.Option(min=1, help="Try at most this many candidates.")]
MutantCount = Annotated[int, typer.Option(min=10, help="How many mutants of each function.")]
Scrub = Annotated[bool, typer.Option(help="Remove what gives the masked bodies away.")]
KeptFiles = Annotated[
    list[str] | None,
    typer.Option("--keep", help="Pattern of files that stay in the workspace although no run opens them."),
]
Full = Annotated[bool, typer.Option(help="Also let every honest agent and every cheat try.")]
