"""assay report: the scorecard in the terminal, the report as one HTML file."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Literal

import typer

from assay.cli.options import AsJson, print_json

Format = Literal["table", "markdown", "csv"]


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command()(report)


def report(
    logs: Annotated[list[Path], typer.Argument(help="Folders of logs, or .eval files.")],
    html: Annotated[Path | None, typer.Option(help="Also write the report as one HTML file.")] = None,
    format: Annotated[Format, typer.Option(help="How the table is printed.")] = "table",
    json: AsJson = False,
) -> None:
    """Say what the logs amount to."""
    from assay.errors import UsageError

    for path in logs:
        if not path.exists():
            raise UsageError(f"{path} does not exist", hint="name a folder that `assay run` wrote")
    show_scorecard(*logs, as_json=json, format=format)
    if html is not None:
        from assay.report import build

        print(f"report: {build(logs, html).resolve()}", file=sys.stderr)


def show_scorecard(*logs: Path, as_json: bool, format: Format = "table") -> None:
    """Print the scorecard of some logs."""
    from assay.report import scorecard_json, scorecard_text

    if as_json:
        print_json(scorecard_json(logs))
    else:
        print(scorecard_text(logs, format))
