"""assay report: the scorecard in the terminal, the report as one HTML file."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from assay.cli.options import AsJson, Interval, read_interval
from assay.cli.pass_rate import AllAgents, FailUnder, check_rate

if TYPE_CHECKING:
    from assay.reporting.printed_table import PrintedTable
    from assay.scoring import LogRecord, Method, Scorecard

ALL_ROLES = ("agent", "calibrator", "honest", "cheat")
Format = Literal["table", "markdown", "csv"]
Table = Literal["scores", "phases", "challenges", "items", "trend"]


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command()(report)


def report(
    logs: Annotated[
        list[Path] | None, typer.Argument(help="Folders of logs, or .eval files; `logs` if left out.")
    ] = None,
    html: Annotated[Path | None, typer.Option(help="Also write the report as one HTML file.")] = None,
    table: Annotated[
        Table | None,
        typer.Option(
            help="scores; experiments by phases; challenges over time; items: what each task tells; trend:"
            " scores over several runs, one folder each. Without it: trend for several folders, else scores."
        ),
    ] = None,
    by: Annotated[
        str | None,
        typer.Option(help="Split scores by node, processor, gpu, sandbox, or a label of the tasks."),
    ] = None,
    lite: Annotated[
        int | None, typer.Option(min=1, help="With --table items: choose so many tasks by information.")
    ] = None,
    interval: Interval = "wilson",
    format: Annotated[Format, typer.Option(help="How the table is printed.")] = "table",
    json: AsJson = False,
    all_agents: AllAgents = False,
    fail_under: FailUnder = None,
    figures: Annotated[
        bool, typer.Option("--figures", help="Print the numbers behind the report's figures as JSON.")
    ] = False,
) -> None:
    """Print what the logs add up to."""
    from assay.scoring.logs.reading import read_some

    if is_trend(table, logs or [], by=by, figures=figures):
        _print_trend(logs or [Path("logs")], html, read_interval(interval), as_json=json, format=format)
        check_rate(logs or [Path("logs")], fail_under)
        return
    record, method = read_some(logs or [Path("logs")]), read_interval(interval)
    table = table or "scores"
    if figures:
        _print_figures(record, method)
    elif table == "scores" and by is None:
        _show(record, method, as_json=json, format=format, roles=ALL_ROLES if all_agents else ("agent",))
    elif table == "items":
        _print_listing(_items(record, lite, method), as_json=json, format=format)
    else:
        _print_listing(_listing(record, table, by, method), as_json=json, format=format)
    if html is not None:
        from assay.reporting import write

        print(f"report: {write(record, html, method=method).resolve()}", file=sys.stderr)
    check_rate(logs or [Path("logs")], fail_under)


def is_trend(table: Table | None, logs: Sequence[Path], *, by: str | None, figures: bool) -> bool:
    """Whether the folders are runs to put in a row: as asked, or when there are several."""
    folders = sum(path.is_dir() for path in logs)
    return table == "trend" or (table is None and folders > 1 and by is None and not figures)


def _print_trend(
    logs: Sequence[Path], html: Path | None, method: Method, *, as_json: bool, format: Format
) -> None:
    from assay.reporting.trend import make_trend, read_runs, trend_table

    runs = read_runs(logs)
    _print_listing(trend_table(make_trend(runs, method=method)), as_json=as_json, format=format)
    if html is not None:
        from assay.reporting.trend_page import write_trend

        print(f"report: {write_trend(runs, html, method=method).resolve()}", file=sys.stderr)


def show_scorecard(
    logs: Path,
    *,
    as_json: bool = False,
    all_agents: bool = False,
    roles: Sequence[str] = ("agent",),
    phases: bool = True,
) -> None:
    """Print the scorecard of some logs, with agents of these roles and those that surprised.

    `phases` also prints how experiments went phase by phase.
    """
    from assay.scoring import read_record

    shown_roles = ALL_ROLES if all_agents else roles
    _show(read_record(logs), "wilson", as_json=as_json, format="table", roles=shown_roles, phases=phases)


def _show(
    record: LogRecord,
    method: Method,
    *,
    as_json: bool,
    format: Format,
    roles: Sequence[str],
    phases: bool = True,
) -> None:
    from assay.reporting import csv, json
    from assay.scoring import scorecard

    card = scorecard(record, method=method)
    if as_json:
        print(json(card))
    elif format == "csv":
        print(csv(card).rstrip())
    else:
        _print_card(card, format, roles, phases=phases)


def _print_card(card: Scorecard, format: Format, roles: Sequence[str], *, phases: bool) -> None:
    """Print the table of agents, and below it that of the experiments."""
    from assay.reporting import markdown, terminal
    from assay.reporting.experiment_summary import experiment_summary
    from assay.reporting.folding import fold

    visible, folded = fold(card, roles)
    if format == "table":
        from rich.console import Console

        Console(highlight=False).print(terminal(visible))
    else:
        print(markdown(visible).rstrip())
    if folded is not None:
        print(folded if format == "table" else f"- {folded}")
    summary = experiment_summary(card) if phases else None
    if summary is not None:
        print()
        _print_listing(summary, as_json=False, format=format)


def _print_figures(record: LogRecord, method: Method) -> None:
    from assay.cli.options import print_json
    from assay.reporting.figures import make_figures

    print_json(make_figures(record.attempts, method=method).model_dump(mode="json"))


def _items(record: LogRecord, lite: int | None, method: Method) -> PrintedTable:
    from assay.reporting.item_table import item_listing

    return item_listing(record.attempts, lite=lite, method=method)


def _listing(record: LogRecord, table: Table, by: str | None, method: Method) -> PrintedTable:
    from assay.reporting.challenge_table import challenge_listing
    from assay.reporting.label_table import label_listing, labelled_by
    from assay.reporting.phase_table import phase_listing
    from assay.scoring import scorecard

    if table == "phases":
        return phase_listing(record.attempts, by=by, method=method)
    if table == "challenges":
        return challenge_listing(record.attempts)
    return label_listing(scorecard(labelled_by(record, by or ""), method=method), by or "")


def _print_listing(listing: PrintedTable, *, as_json: bool, format: Format) -> None:
    if as_json:
        print(listing.json())
    elif format == "table":
        from rich.console import Console

        Console(highlight=False).print(listing)
    else:
        print((listing.markdown() if format == "markdown" else listing.csv()).rstrip())
