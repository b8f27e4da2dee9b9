"""assay failures: why attempts fail, with the words that say so."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from assay.cli.options import AsJson, Interval, print_json, read_interval

if TYPE_CHECKING:
    from assay.scoring.failures import Analysis


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command()(failures)


def failures(
    logs: Annotated[
        list[Path] | None, typer.Argument(help="Folders of logs, or .eval files; `logs` if left out.")
    ] = None,
    model: Annotated[
        str | None, typer.Option(help="A model that names the failures which no rule knows.")
    ] = None,
    base_url: Annotated[str | None, typer.Option(help="Address of an OpenAI-compatible service.")] = None,
    mapping: Annotated[
        Path | None, typer.Option(help="A JSON file from words to types: read, added to, yours to change.")
    ] = None,
    everyone: Annotated[
        bool, typer.Option("--all", help="Calibrators and cheats too, which must fail.")
    ] = False,
    interval: Interval = "wilson",
    json: AsJson = False,
) -> None:
    """Say why attempts fail: how common each kind of failure is, and whose fault it is."""
    from assay.scoring.failures import analyse, model_proposer, read_map, write_map
    from assay.scoring.logs.reading import read_some

    found = analyse(
        read_some(logs or [Path("logs")]).attempts,
        known=read_map(mapping) if mapping else None,
        propose=model_proposer(model, base_url) if model else None,
        roles=("agent", "calibrator", "honest", "cheat") if everyone else ("agent",),
        method=read_interval(interval),
    )
    if mapping is not None:
        write_map(found.map, mapping)
    if json:
        print_json(found.model_dump(mode="json"))
        return
    _print(found)


def _print(found: Analysis) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from assay.report.wording import percent

    console = Console(highlight=False)
    console.print(f"{found.failed} of {found.attempts} attempts of {len(found.agents)} agents did not pass.")
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold")
    table.add_column("failure", overflow="fold")
    for name in ("attempts, [95%]", "of phase", "published"):
        table.add_column(name, no_wrap=True)
    phase = ""
    for row in (each for each in found.prevalence if each.agent is None):
        if row.type.phase != phase:
            phase = row.type.phase
            table.add_row(Text(phase, style="italic"))
        cells = (
            "  " + row.type.title + ("" if row.type.by == "rule" else f" (named by {row.type.by})"),
            f"{row.shown}/{row.attempts} {percent(row.rate)}% [{percent(row.low)}, {percent(row.high)}]",
            f"{percent(row.share)}%",
            f"{row.type.published.percent:g}%" if row.type.published else "–",
        )
        table.add_row(*map(Text, cells))
    console.print(table)
    for line in _faults(found):
        console.print(Text(line))


def _faults(found: Analysis) -> list[str]:
    from collections import Counter

    from assay.scoring.failures import FOLLOWS

    counted = Counter(each.fault or "cannot be told" for each in found.insights if each.type != FOLLOWS)
    whose = ", ".join(f"{fault} {count}" for fault, count in counted.most_common()) or "none"
    return [
        f"whose fault, by insight: {whose}.",
        "published: EXP-Bench, arXiv 2505.24785, share of the insights of one phase; not measured here.",
        "every insight, with its words, log and sample: --json. The map from words to types: --mapping FILE.",
    ]
