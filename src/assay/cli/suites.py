"""assay suites: which suites there are, and what is in one."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from assay.cli.options import AsJson, print_json


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command()(suites)


def suites(
    suite: Annotated[str | None, typer.Argument(help="A suite's name, or a folder of task folders.")] = None,
    json: AsJson = False,
) -> None:
    """List the suites, or the tasks of one."""
    from assay.tasks import load_suite
    from assay.tasks.suites import SUITES

    if suite is None:
        found = [{"suite": name, "tasks": len(load_suite(name).tasks)} for name in SUITES]
        if json:
            print_json({"suites": found})
        for row in found if not json else []:
            print(f"{row['suite']:<20} {row['tasks']} tasks")
        return
    chosen = load_suite(suite)
    rows = [
        {
            "id": task.id,
            "kind": task.kind,
            "certified": task.certified,
            "title": task.config.task.description,
            "n": len(task.assay.masks),
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


def _print(rows: list[dict[str, Any]]) -> None:
    width = max(len(row["id"]) for row in rows)
    for row in rows:
        size = f"n={row['n']}" if row["n"] else ""
        proof = "certified" if row["certified"] else "not certified"
        print(f"{row['id']:<{width}}  {row['kind']:<10}  {size:<4} {proof:<13}  {row['title']}")
    certified = sum(row["certified"] for row in rows)
    print(f"{len(rows)} tasks, {certified} certified")
