"""assay report: the scorecard in the terminal, the report as one HTML file."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Literal

import typer

from assay.cli.options import AsJson

Format = Literal["table", "markdown", "csv"]


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command()(report)


def report(
    logs: Annotated[list[Path], typer.Argument(help="Folders of logs, or .eval files.")],
    html: Annotated[Path | None, typer.Option(help="Also write the report as one HTML file.")] = None,
    format: Annotated[Format, typer.Option(help="How the table is printed.")] = "table",
    json: AsJson = False,
    figures: Annotated[
        bool, typer.Option("--figures", help="Print the numbers behind the report's figures as JSON.")
    ] = False,
) -> None:
    """Say what the logs amount to."""
    from assay.errors import UsageError

    for path in logs:
        if not path.exists():
            raise UsageError(f"{path} does not exist", hint="name a folder that `assay run` wrote")
    if figures:
        _print_figures(logs)
    else:
        show_scorecard(*logs, as_json=json, format=format)
    if html is not None:
        from assay.report import build

        print(f"report: {build(logs, html).resolve()}", file=sys.stderr)


def _print_figures(logs: list[Path]) -> None:
    from assay.cli.options import print_json
    from assay.report.figures import make_figures
    from assay.scoring import read_record

    print_json(make_figures(read_record(logs).attempts).model_dump(mode="json"))


def show_scorecard(*logs: Path, as_json: bool = False, format: Format = "table") -> None:
    """Print the scorecard of some logs."""
    from assay.report import csv, json, markdown, terminal
    from assay.scoring import read_record, scorecard

    card = scorecard(read_record(logs))
    if as_json:
        print(json(card))
    elif format == "table":
        from rich.console import Console

        Console(highlight=False).print(terminal(card))
    else:
        print({"markdown": markdown, "csv": csv}[format](card).rstrip())
