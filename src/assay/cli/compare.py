"""assay compare: agents in pairs on the tasks that both tried."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from assay.cli.options import AsJson, Interval, read_interval

Format = Literal["table", "markdown"]


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command()(compare)


def compare(
    first: Annotated[Path, typer.Argument(help="A folder of logs, or an .eval file.")],
    second: Annotated[Path | None, typer.Argument(help="Another one; if left out, FIRST has both.")] = None,
    agents: Annotated[
        str | None, typer.Option(help="Whom: x,y; each as agent or agent@model. With one folder, any number.")
    ] = None,
    format: Annotated[Format, typer.Option(help="How the table is printed.")] = "table",
    interval: Interval = "wilson",
    json: AsJson = False,
) -> None:
    """Say how much better the second agent is than the first on the same tasks, and if that is chance."""
    from assay.reporting.comparison_table import ComparisonTable, comparison_json, comparison_markdown
    from assay.scoring import compare as compare_logs

    names = [name.strip() for name in (agents or "").split(",") if name.strip()]
    comparisons = compare_logs(first, second, agents=names, method=read_interval(interval))
    if json:
        print(comparison_json(comparisons).rstrip())
    elif format == "markdown":
        print(comparison_markdown(comparisons).rstrip())
    else:
        from rich.console import Console

        Console(highlight=False).print(ComparisonTable(comparisons))
