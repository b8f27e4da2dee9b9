"""assay suites: which suites there are, and what is in one."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from assay.cli.options import AsJson, Dial, Sample, Seed, choose, print_json

if TYPE_CHECKING:
    from assay.benchmarks import Suite


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command()(suites)


def suites(
    suite: Annotated[str | None, typer.Argument(help="A suite's name, or a folder of task folders.")] = None,
    n: Dial = None,
    sample: Sample = None,
    seed: Seed = 0,
    split: Annotated[str | None, typer.Option(help="For expbench: full, lite or cpu.")] = None,
    source: Annotated[
        Path | None, typer.Option(help="For expbench: a folder with its task files, in place of the cache.")
    ] = None,
    manifest: Annotated[
        Path | None, typer.Option(help="Write what was drawn, and how, to this file.")
    ] = None,
    json: AsJson = False,
) -> None:
    """List the suites, or the tasks of one."""
    if suite is None:
        _list_suites(json)
        return
    name, _, query = suite.partition("?")
    if name == "expbench":
        _list_published(query, n, sample, seed, split, source, json)
        return
    if split is not None or source is not None:
        _refuse_split(name)
    chosen = choose(suite, n=n, sample=sample, seed=seed)
    if manifest is not None:
        _write_manifest(chosen, manifest)
    rows = [
        {
            "id": task.id,
            "kind": task.kind,
            "certified": task.certified,
            "title": task.config.task.description,
            "n": len(task.assay.masks),
            "flow": chosen.flow.get(task.id),
            "needs": chosen.needs.get(task.id),
            "resources": task.assay.needs.model_dump() if task.assay.needs else None,
            "seconds": task.config.agent.timeout_sec,
            "gpus": task.config.environment.gpus,
            "digest": task.digest,
        }
        for task in chosen.tasks
    ]
    if json:
        print_json({"suite": chosen.name, "tasks": rows})
    else:
        _print(rows, {task.id: str(task.assay.needs) for task in chosen.tasks if task.assay.needs})


def _list_suites(json: bool) -> None:
    """Every suite with its tasks; one that is not fetched yet says how to."""
    from assay.benchmarks import SUITES, load_suite
    from assay.errors import UsageError

    found: list[dict[str, Any]] = []
    for name in SUITES:
        try:
            count = _count_published() if name == "expbench" else len(load_suite(name).tasks)
            found.append({"suite": name, "tasks": count, "missing": None})
        except UsageError as error:
            found.append({"suite": name, "tasks": None, "missing": error.hint or error.message})
    if json:
        print_json({"suites": found})
        return
    for row in found:
        told = f"{row['tasks']} tasks" if row["missing"] is None else f"not here: {row['missing']}"
        print(f"{row['suite']:<20} {told}")


def _count_published() -> int:
    """EXP-Bench's tasks are counted in its files: making them takes their repositories."""
    from assay.benchmarks import expbench

    return len(expbench.read_records(expbench.require()).tasks)


def _refuse_split(name: str) -> None:
    from assay.errors import UsageError

    raise UsageError(f"suite {name!r} has no splits and no --source", hint="`assay suites expbench` has both")


def _list_published(
    query: str,
    n: str | None,
    sample: int | None,
    seed: int,
    split: str | None,
    source: Path | None,
    json: bool,
) -> None:
    """EXP-Bench's tasks as they were published, whether or not their repositories are here."""
    from assay.benchmarks import expbench
    from assay.masking.dial import Selection, parse_n, parse_selection

    given = Selection(n=parse_n(n) if n else None, sample=sample, seed=seed, split=split)
    selection = parse_selection(query) if query and given == Selection() else given
    records = expbench.read_records(source or expbench.require())
    wanted = {record.id for record in expbench.chosen(records, selection)}
    listed = [row for row in expbench.listing(records, selection.seed) if row.id in wanted]
    if json:
        unknown = dict.fromkeys(("certified", "seconds", "gpus", "digest"))
        rows = [{"kind": "experiment", "n": 0, "flow": None, **unknown, **asdict(row)} for row in listed]
        print_json({"suite": "expbench", "tasks": rows})
        return
    width = max((len(row.id) for row in listed), default=0)
    for row in listed:
        splits = ",".join(each for each in row.splits if each != "full")
        needs = f" (needs {row.needs})" if row.needs else ""
        about = f"{row.category}, difficulty {row.difficulty or 'unknown'}, {row.gradable['all']} items"
        print(f"{row.id:<{width}}  {row.type}  {splits:<8}  {about}{needs}")
    print(f"{len(listed)} tasks, {sum(row.gradable['all'] for row in listed):,} gradable items")


def _write_manifest(suite: Suite, path: Path) -> None:
    from assay.errors import UsageError

    if suite.manifest is None:
        raise UsageError(f"nothing was drawn from {suite.name!r}", hint="give --n or --sample")
    path.write_text(suite.manifest.model_dump_json(indent=2) + "\n")


def _print(rows: list[dict[str, Any]], resources: dict[str, str]) -> None:
    width = max((len(row["id"]) for row in rows), default=0)
    for row in rows:
        size = f"n={row['n']}" if row["n"] else ""
        proof = "certified" if row["certified"] else "not certified"
        flow = row["flow"] or ""
        needs = f" (needs {row['needs']})" if row["needs"] else ""
        print(
            f"{row['id']:<{width}}  {row['kind']:<10}  {size:<4} {flow:<5} {proof:<13}  {row['title']}{needs}"
        )
        if row["id"] in resources:
            print(f"{'':<{width}}  takes {resources[row['id']]}")
    certified = sum(row["certified"] for row in rows)
    print(f"{len(rows)} tasks, {certified} certified")
