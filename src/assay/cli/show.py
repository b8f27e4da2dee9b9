"""assay show: what an agent is asked, and what the grader will hold it to."""

from __future__ import annotations

from typing import Annotated

import typer

from assay.cli.options import AsJson, find_task, print_json


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command()(show)


def show(
    task: Annotated[str, typer.Argument(help="suite/id, an id of the demo suite, or a task folder.")],
    json: AsJson = False,
) -> None:
    """Show one task as an agent sees it, and how it is graded; truth stays unseen."""
    found = find_task(task)
    table = found.assay
    if json:
        print_json(
            {
                "id": found.id,
                "kind": found.kind,
                "certified": found.certified,
                "digest": found.digest,
                "instruction": found.instruction,
                "workspace": sorted(found.workspace),
                "config": found.config.model_dump(mode="json"),
            }
        )
        return
    print(found.instruction.rstrip())
    print("\n— the workspace —")
    for path, data in sorted(found.workspace.items()):
        print(f"{len(data):>9,}  {path}")
    print("\n— the grading —")
    if table.run:
        varied = ", ".join(each.name for each in table.variations) or "none"
        print(f"run: {table.run.command} (at most {table.run.seconds:g} s); hidden variations: {varied}")
    for metric in table.metrics:
        print(f"metric {metric.name}: {metric.path}, ± {metric.absolute:g} + {metric.relative:g} × |gold|")
    if table.challenge:
        goal = table.challenge
        start = "unknown" if goal.baseline is None else f"{goal.baseline:g}"
        bar = "unknown" if goal.reference is None else f"{goal.reference:g} ± {goal.noise:g}"
        print(f"{goal.metric} ({goal.unit}, {goal.direction} is better): baseline {start}, reference {bar}")
    for check, result in (found.certificate.checks if found.certificate else {}).items():
        print(f"{'holds' if result.holds else 'FAILS'}  {check}: {result.evidence}")
    print("certified" if found.certified else "not certified: `assay certify` proves or refutes it")
