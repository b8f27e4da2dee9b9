"""assay failures: why attempts fail, with the words that say so."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from assay.cli.options import AsJson, Interval, print_json, read_interval


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
    from assay.api.sharing import failures as analyse

    analysis = analyse(
        logs or [Path("logs")],
        model=model,
        base_url=base_url,
        mapping=mapping,
        roles=("agent", "calibrator", "honest", "cheat") if everyone else ("agent",),
        interval=read_interval(interval),
    )
    if json:
        print_json(analysis.model_dump(mode="json"))
        return
    from rich.console import Console

    Console(highlight=False).print(analysis)
    print(
        "every insight, with its words, log and sample: --json. The map from words to types: --mapping FILE."
    )
