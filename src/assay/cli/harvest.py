"""assay harvest: a list of packages turned into one suite of certified masked tasks."""

from __future__ import annotations

import json as json_format
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from assay.cli.mask_options import FunctionsAtOnce, TestSeconds
from assay.cli.options import AsJson, print_json

if TYPE_CHECKING:
    from assay.harvesting.harvest import HarvestResult


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command()(harvest)


def harvest(
    packages: Annotated[Path, typer.Argument(help="The list: one NAME==VERSION a line, or a TOML file.")],
    out: Annotated[Path, typer.Option(help="The folder of the suite; the same one continues.")],
    on: Annotated[
        str, typer.Option(help="Where packages are masked: local, ray, ray://HOST:PORT.")
    ] = "local",
    processes: Annotated[
        int | None, typer.Option(min=1, help="Packages at the same time; one on each core by default.")
    ] = None,
    n: FunctionsAtOnce = "1",
    sample: Annotated[
        int | None, typer.Option(min=1, help="At most this many tasks of a package for each n.")
    ] = None,
    functions: Annotated[int, typer.Option(min=1, help="Candidates to try in each package.")] = 12,
    proved_limit: Annotated[
        int, typer.Option("--enough", min=1, help="Stop a package with this many proved functions.")
    ] = 8,
    mutants: Annotated[int, typer.Option(min=10, help="How many mutants of each function.")] = 12,
    test_seconds: TestSeconds = 2.0,
    minutes: Annotated[float, typer.Option(help="Start no proof of a package after this time.")] = 5.0,
    total_minutes: Annotated[
        float | None, typer.Option(help="Start no package and no proof after this time.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Of the split and of the mutants.")] = 0,
    weak_results: Annotated[
        Path | None, typer.Option(help="A JSON file with the pass rate of a weak model for each task.")
    ] = None,
    json: AsJson = False,
) -> None:
    """Turn a list of packages into a suite of certified masked tasks; the same command continues."""
    from assay.api.making import harvest as harvest_list

    result = harvest_list(
        packages,
        out,
        on=on,
        processes=processes,
        n=n,
        sample=sample,
        functions=functions,
        proved_limit=proved_limit,
        mutants=mutants,
        test_seconds=test_seconds,
        minutes=minutes,
        total_minutes=total_minutes,
        seed=seed,
        weak_model=None if weak_results is None else _read_rates(weak_results),
        on_step=lambda line: print(line, file=sys.stderr, flush=True),
    )
    if json:
        print_json(_summary(result))
    else:
        _print(result)
    if not result.kept:
        raise typer.Exit(1)


def _read_rates(path: Path) -> dict[str, float]:
    from assay.errors import UsageError

    try:
        rates = json_format.loads(path.read_text())
        return {str(task): float(rate) for task, rate in rates.items()}
    except (OSError, ValueError, AttributeError, TypeError):
        raise UsageError(
            f"{path} has no pass rates", hint='expected JSON such as {"inflection-0.5.1_0": 0.25}'
        ) from None


def _summary(result: HarvestResult) -> dict[str, object]:
    return {
        "suite": str(result.out),
        "tasks": [task.model_dump() for task in result.kept],
        "duplicates": {task.id: task.duplicate_of for task in result.tasks if task.duplicate_of},
        "packages": [record.model_dump(exclude={"tasks"}) for record in result.records],
        "pending": result.pending,
    }


def _print(result: HarvestResult) -> None:
    tasks = result.kept
    print(
        f"{len(tasks)} certified tasks from {len({task.package for task in tasks})} of {len(result.records)} "
        f"packages; {len(result.tasks) - len(tasks)} near-duplicates removed: {result.out}"
    )
    if result.pending:
        print(f"{len(result.pending)} packages are not finished; the same command continues with them")
    print(f"the yield and the reasons for losses are in {result.out / 'README.md'}")
