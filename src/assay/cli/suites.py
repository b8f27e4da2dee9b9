"""assay suites: which suites there are, and what is in one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from assay.cli.options import AsJson, Dial, Sample, Seed, choose, print_json

if TYPE_CHECKING:
    from assay.tasks import Suite


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command()(suites)


def suites(
    suite: Annotated[str | None, typer.Argument(help="A suite's name, or a folder of task folders.")] = None,
    n: Dial = None,
    sample: Sample = None,
    seed: Seed = 0,
    manifest: Annotated[
        Path | None, typer.Option(help="Write what was drawn, and how, to this file.")
    ] = None,
    json: AsJson = False,
) -> None:
    """List the suites, or the tasks of one."""
    if suite is None:
        _list_suites(json)
        return
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
            "seconds": task.config.agent.timeout_sec,
            "gpus": task.config.environment.gpus,
            "digest": task.digest,
        }
        for task in chosen.tasks
    ]
    if json:
        print_json({"suite": chosen.name, "tasks": rows})
    else:
        _print(rows)


def _list_suites(json: bool) -> None:
    """Every suite with its tasks; one that is not fetched yet says how to."""
    from assay.errors import UsageError
    from assay.tasks import load_suite
    from assay.tasks.suites import SUITES

    found: list[dict[str, Any]] = []
    for name in SUITES:
        try:
            found.append({"suite": name, "tasks": len(load_suite(name).tasks), "missing": None})
        except UsageError as error:
            found.append({"suite": name, "tasks": None, "missing": error.hint or error.message})
    if json:
        print_json({"suites": found})
        return
    for row in found:
        told = f"{row['tasks']} tasks" if row["missing"] is None else f"not here: {row['missing']}"
        print(f"{row['suite']:<20} {told}")


def _write_manifest(suite: Suite, path: Path) -> None:
    from assay.errors import UsageError

    if suite.manifest is None:
        raise UsageError(f"nothing was drawn from {suite.name!r}", hint="give --n or --sample")
    path.write_text(suite.manifest.model_dump_json(indent=2) + "\n")


def _print(rows: list[dict[str, Any]]) -> None:
    width = max((len(row["id"]) for row in rows), default=0)
    for row in rows:
        size = f"n={row['n']}" if row["n"] else ""
        proof = "certified" if row["certified"] else "not certified"
        flow = row["flow"] or ""
        needs = f" (needs {row['needs']})" if row["needs"] else ""
        print(
            f"{row['id']:<{width}}  {row['kind']:<10}  {size:<4} {flow:<5} {proof:<13}  {row['title']}{needs}"
        )
    certified = sum(row["certified"] for row in rows)
    print(f"{len(rows)} tasks, {certified} certified")
