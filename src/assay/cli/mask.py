"""assay mask: any repository turned into certified masked tasks, by running it."""

from __future__ import annotations

import itertools
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from assay.cli.options import AsJson, print_json

if TYPE_CHECKING:
    from assay.masking.pipeline import MaskingResult

Strings = list[str] | None


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command()(mask)


def mask(
    repository: Annotated[Path, typer.Argument(help="A folder of Python code.")],
    run: Annotated[str, typer.Option("--run", help="The command that makes the numbers, run by bash there.")],
    metrics: Annotated[
        list[str], typer.Option(help="NAME=FILE.json:dotted.path or NAME=stdout:REGEX; may be given again.")
    ],
    out: Annotated[Path, typer.Option(help="A new folder: experiment/ and tasks/ are written there.")],
    requirements: Annotated[
        Strings,
        typer.Option(help="A package, or a file that lists them; without it, what the repository says."),
    ] = None,
    paper_id: Annotated[str | None, typer.Option("--id", help="The first part of the task ids.")] = None,
    vary: Annotated[
        Strings,
        typer.Option(help="Hidden variation: seed=N (ASSAY_SEED), data=FILE (ASSAY_DATA), VAR=VALUE."),
    ] = None,
    vary_arg: Annotated[
        Strings, typer.Option(help="Hidden variation: an argument put into the command, as --seed=7.")
    ] = None,
    n: Annotated[str, typer.Option("--n", help="How many functions to mask together: 1, or 1-3.")] = "1",
    sample: Annotated[
        int | None, typer.Option(min=1, help="At most this many tasks for each n, stratified by data flow.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Of the sample and of the mutants.")] = 0,
    runs: Annotated[int, typer.Option(min=5, help="Gold runs.")] = 5,
    seconds: Annotated[float, typer.Option(help="The limit on one run.")] = 120.0,
    functions: Annotated[int, typer.Option(min=1, help="Try at most this many candidates.")] = 8,
    mutants: Annotated[int, typer.Option(min=10, help="How many mutants of each function.")] = 20,
    scrub: Annotated[bool, typer.Option(help="Remove what gives the masked bodies away.")] = False,
    full: Annotated[bool, typer.Option(help="Also let every honest agent and every cheat try.")] = False,
    json: AsJson = False,
) -> None:
    """Turn a repository into certified masked tasks, by running it."""
    from assay.api.making import mask as mask_repository
    from assay.cli.progress import Counter

    began, counter = time.monotonic(), Counter()
    made = mask_repository(
        repository,
        out,
        command=run,
        metrics=metrics,
        requirements=requirements or (),
        paper_id=paper_id,
        vary=vary or (),
        vary_arguments=vary_arg or (),
        n=n,
        sample=sample,
        seed=seed,
        runs=runs,
        seconds=seconds,
        functions=functions,
        mutants=mutants,
        scrub=scrub,
        full=full,
        on_step=lambda line: print(line, file=sys.stderr),
        on_plan=counter.announce,
        on_finish=counter.tell,
    )
    _tell(made, out, time.monotonic() - began, json)
    if not all(each.sound for each in made.certificates):
        raise typer.Exit(1)


def _tell(made: MaskingResult, out: Path, elapsed: float, as_json: bool) -> None:
    if as_json:
        print_json(_summary(made, elapsed))
    else:
        _print(made, out, elapsed)


def _summary(made: MaskingResult, elapsed: float) -> dict[str, object]:
    return {
        "tasks": [
            {
                "id": task.id,
                "folder": str(folder),
                "flow": made.manifest.flows.get(task.id),
                "certified": certificate.sound,
                "flaws": {name: each.evidence for name, each in certificate.checks.items() if not each.holds},
            }
            for (folder, task), certificate in zip(made.tasks.items(), made.certificates, strict=True)
        ],
        "functions": {
            proof.candidate.name: {
                "mutation_score": proof.score,
                "rejected": proof.count("rejected"),
                "survived": proof.count("survived"),
            }
            for proof in made.proofs
        },
        "left_out": made.left_out,
        "trace_ratio": round(made.trace_ratio, 2),
        "seconds": round(elapsed, 1),
    }


def _print(made: MaskingResult, out: Path, elapsed: float) -> None:
    by_reason = sorted(made.left_out, key=made.left_out.__getitem__)
    for why, group in itertools.groupby(by_reason, made.left_out.__getitem__):
        names = list(group)
        more = f" and {len(names) - 3} more" if len(names) > 3 else ""
        print(f"left out  {', '.join(names[:3])}{more}: {why}")
    for proof in made.proofs:
        alive = proof.count("rejected") + proof.count("survived")
        print(f"masked    {proof.candidate.name}: {proof.count('rejected')} of {alive} mutants rejected")
    for certificate in made.certificates:
        flaws = [f"{name}: {each.evidence}" for name, each in certificate.checks.items() if not each.holds]
        flow = made.manifest.flows.get(certificate.task)
        told = f", data flow: {flow}" if flow else ""
        print(f"task      {certificate.task}: {'certified' if certificate.sound else 'NOT SOUND'}{told}")
        for flaw in flaws:
            print(f"          {flaw}")
    sound = sum(each.sound for each in made.certificates)
    print(
        f"{sound} of {len(made.certificates)} tasks certified in {elapsed:.0f} s "
        f"({elapsed / len(made.certificates):.0f} s a task): {out / 'tasks'}"
    )
