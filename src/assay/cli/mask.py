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

    start, counter = time.monotonic(), Counter()
    result = mask_repository(
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
    _tell(result, out, time.monotonic() - start, json)
    if not all(certificate.sound for certificate in result.certificates):
        raise typer.Exit(1)


def _tell(result: MaskingResult, out: Path, elapsed: float, as_json: bool) -> None:
    if as_json:
        print_json(_summary(result, elapsed))
    else:
        _print(result, out, elapsed)


def _summary(result: MaskingResult, elapsed: float) -> dict[str, object]:
    return {
        "tasks": [
            {
                "id": task.id,
                "folder": str(folder),
                "flow": result.manifest.flows.get(task.id),
                "certified": certificate.sound,
                "flaws": {
                    name: check.evidence for name, check in certificate.checks.items() if not check.holds
                },
            }
            for (folder, task), certificate in zip(result.tasks.items(), result.certificates, strict=True)
        ],
        "functions": {
            proof.candidate.name: {
                "mutation_score": proof.score,
                "rejected": proof.count("rejected"),
                "survived": proof.count("survived"),
            }
            for proof in result.proofs
        },
        "left_out": result.left_out,
        "trace_ratio": round(result.trace_ratio, 2),
        "seconds": round(elapsed, 1),
    }


def _print(result: MaskingResult, out: Path, elapsed: float) -> None:
    by_reason = sorted(result.left_out, key=result.left_out.__getitem__)
    for why, group in itertools.groupby(by_reason, result.left_out.__getitem__):
        names = list(group)
        and_more = f" and {len(names) - 3} more" if len(names) > 3 else ""
        print(f"left out  {', '.join(names[:3])}{and_more}: {why}")
    for proof in result.proofs:
        alive = proof.count("rejected") + proof.count("survived")
        print(f"masked    {proof.candidate.name}: {proof.count('rejected')} of {alive} mutants rejected")
    for certificate in result.certificates:
        flaws = [f"{name}: {check.evidence}" for name, check in certificate.checks.items() if not check.holds]
        flow = result.manifest.flows.get(certificate.task)
        flow_note = f", data flow: {flow}" if flow else ""
        print(f"task      {certificate.task}: {'certified' if certificate.sound else 'NOT SOUND'}{flow_note}")
        for flaw in flaws:
            print(f"          {flaw}")
    sound = sum(check.sound for check in result.certificates)
    print(
        f"{sound} of {len(result.certificates)} tasks certified in {elapsed:.0f} s "
        f"({elapsed / len(result.certificates):.0f} s a task): {out / 'tasks'}"
    )
