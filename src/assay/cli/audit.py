"""assay audit: what is wrong with the published tasks of a benchmark."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from assay.cli.options import AsJson, print_json

if TYPE_CHECKING:
    from assay.benchmarks.autoexperiment.audit import Finding as RowFinding
    from assay.benchmarks.autoexperiment.copies import Copy
    from assay.benchmarks.expbench.audit import Finding as TaskFinding

PLACES = 4
"""So many places of a kind are printed where there may be hundreds; --json has all."""


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command()(audit)


def audit(
    suite: Annotated[str, typer.Argument(help="autoexperiment or expbench")],
    source: Annotated[
        Path | None, typer.Option(help="A folder with the data, in place of the cache.")
    ] = None,
    json: AsJson = False,
) -> None:
    """Report what is wrong with a published benchmark: its rows, line numbers, designs, prompts, paths."""
    from assay.errors import UsageError

    if suite == "autoexperiment":
        _autoexperiment(source, json)
    elif suite == "expbench":
        _expbench(source, json)
    else:
        raise UsageError(
            f"{suite!r} has no published rows to audit",
            hint="`assay audit autoexperiment`, `assay audit expbench`",
        )


def _autoexperiment(source: Path | None, json: bool) -> None:
    from assay.benchmarks import autoexperiment
    from assay.benchmarks.autoexperiment.audit import audit as examine
    from assay.benchmarks.autoexperiment.copies import published_copies

    rows = autoexperiment.read_rows(source or autoexperiment.require())
    found: list[RowFinding | Copy] = [*examine(rows), *published_copies(rows)]
    if json:
        print_json({"suite": "autoexperiment", "tasks": len(rows.tasks), "findings": _findings(found)})
        return
    for each in found:
        print(f"{each.kind:<10} {each.place}: {each.text}")
    functions = sum(len(rows.usable(paper)) for paper in rows.functions)
    print(f"{len(rows.tasks)} rows, {functions} functions that some experiment depends on: {_kinds(found)}")


def _expbench(source: Path | None, json: bool) -> None:
    from assay.benchmarks import expbench
    from assay.benchmarks.expbench.audit import CLAIMED, gradable
    from assay.benchmarks.expbench.audit import audit as examine

    records = expbench.read_records(source or expbench.require())
    found = examine(records)
    items = gradable(records)
    total = sum(items.values())
    if json:
        print_json(
            {
                "suite": "expbench",
                "tasks": len(records.tasks),
                "papers": len(records.papers),
                "types": dict(sorted(Counter(task.type for task in records.tasks).items())),
                "findings": _findings(found),
                "counts": dict(sorted(Counter(each.kind for each in found).items())),
                "gradable": {**items, "all": total, "claimed": CLAIMED},
                "gradable_by_task": {task.id: sum(task.gradable.values()) for task in records.tasks},
            }
        )
        return
    for kind in dict.fromkeys(each.kind for each in found):
        _print_kind([each for each in found if each.kind == kind])
    _print_gradable(items, [sum(task.gradable.values()) for task in records.tasks], CLAIMED)
    print(f"{len(records.tasks)} tasks of {len(records.papers)} papers: {_kinds(found)}")


def _print_kind(found: Sequence[TaskFinding]) -> None:
    for each in found[:PLACES]:
        print(f"{each.kind:<10} {each.place}: {each.text}")
    if len(found) > PLACES:
        print(f"{found[0].kind:<10} and {len(found) - PLACES} more (--json lists all)")


def _print_gradable(items: Mapping[str, int], by_task: Sequence[int], claimed: str) -> None:
    told = ", ".join(f"{count:,} of {phase}" for phase, count in items.items())
    middle = sorted(by_task)[len(by_task) // 2]
    print(f"gradable items: {sum(by_task):,} ({told}); the paper claims {claimed}")
    print(f"a task has {min(by_task)} to {max(by_task)} of them, half of the tasks {middle} or more")


def _findings(found: Sequence[RowFinding | Copy] | Sequence[TaskFinding]) -> list[dict[str, str]]:
    return [{"kind": each.kind, "place": each.place, "text": each.text} for each in found]


def _kinds(found: Sequence[RowFinding | Copy] | Sequence[TaskFinding]) -> str:
    kinds = Counter(each.kind for each in found)
    return ", ".join(f"{count} {kind}" for kind, count in kinds.items()) or "nothing is wrong"
