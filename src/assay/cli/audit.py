"""assay audit: what is wrong with the published rows of a benchmark."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Annotated

import typer

from assay.cli.options import AsJson, print_json


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command()(audit)


def audit(
    suite: Annotated[str, typer.Argument(help="autoexperiment")],
    source: Annotated[Path | None, typer.Option(help="A folder with rows, in place of the cache.")] = None,
    json: AsJson = False,
) -> None:
    """Report phantom and duplicate tasks, wrong line numbers, and rows that disagree with each other."""
    from assay.errors import UsageError
    from assay.tasks.suites import autoexperiment
    from assay.tasks.suites.autoexperiment.audit import audit as examine

    if suite != "autoexperiment":
        raise UsageError(f"{suite!r} has no published rows to audit", hint="`assay audit autoexperiment`")
    rows = autoexperiment.read_rows(source or autoexperiment.require())
    found = examine(rows)
    if json:
        findings = [{"kind": each.kind, "place": each.place, "text": each.text} for each in found]
        print_json({"suite": suite, "tasks": len(rows.tasks), "findings": findings})
        return
    for each in found:
        print(f"{each.kind:<10} {each.place}: {each.text}")
    functions = sum(len(rows.usable(paper)) for paper in rows.functions)
    kinds = Counter(each.kind for each in found)
    told = ", ".join(f"{count} {kind}" for kind, count in kinds.items()) or "nothing is wrong"
    print(f"{len(rows.tasks)} rows, {functions} functions that some experiment depends on: {told}")
