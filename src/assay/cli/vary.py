"""assay vary: new variants of tasks, as hard as the old ones and with other answers."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from assay.cli.options import AsJson, print_json

if TYPE_CHECKING:
    from assay.api.varying import VaryResult


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command()(vary)


def vary(
    suite: Annotated[str, typer.Argument(help="A suite, suite/id, or a folder of tasks.")],
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same tasks.")],
    out: Annotated[Path, typer.Option(help="A new folder: one task folder for each variant.")],
    certify: Annotated[bool, typer.Option("--certify", help="Prove each new task too.")] = False,
    json: AsJson = False,
) -> None:
    """Make new variants of the tasks that have a vary.py, with other answers and new gold numbers."""
    from assay.api.varying import vary as make_variants

    result = make_variants(
        suite, out, seed=seed, certify=certify, on_step=lambda line: print(line, file=sys.stderr)
    )
    if json:
        print_json(_summary(result))
    else:
        _print(result, out)
    if not all(certificate.sound for certificate in result.certificates):
        raise typer.Exit(1)


def _summary(result: VaryResult) -> dict[str, object]:
    sound = {certificate.task: certificate.sound for certificate in result.certificates}
    return {
        "seed": result.seed,
        "tasks": [
            {
                "id": task.id,
                "original": task.original,
                "folder": str(task.folder),
                "digest": task.digest,
                "changed": list(task.changed),
                "certified": sound.get(task.id),
            }
            for task in result.tasks
        ],
        "left_out": result.left_out,
    }


def _print(result: VaryResult, out: Path) -> None:
    for task in result.tasks:
        print(f"{task.id:<28} {len(task.changed)} files differ from {task.original}")
    if result.left_out:
        print(f"without vary.py, so left out: {', '.join(result.left_out)}")
    for certificate in result.certificates:
        for name, check in certificate.checks.items():
            if not check.holds:
                print(f"    {certificate.task}: {name}: {check.evidence}")
    if result.certificates:
        sound = sum(certificate.sound for certificate in result.certificates)
        print(f"{sound} of {len(result.certificates)} variants are sound: {out}")
    else:
        print(f"{len(result.tasks)} variants in {out}, not certified yet. Next: assay certify {out}")
