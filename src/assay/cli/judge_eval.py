"""assay judge-eval: how far a judge can be believed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from assay.cli.options import AsJson, print_json

if TYPE_CHECKING:
    from assay.scoring.statistics.agreement import Calibration, Share


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command(name="judge-eval")(judge_eval)


def judge_eval(
    judge_model: Annotated[
        str, typer.Option("--judge-model", help="openai/…, anthropic/…, local/smollm2, assay/scripted-judge.")
    ] = "assay/scripted-judge",
    repeats: Annotated[int, typer.Option("--repeats", min=1, help="Votes for each item.")] = 3,
    limit: Annotated[
        int | None, typer.Option("--limit", min=1, help="So many items, evenly from the set.")
    ] = None,
    labelled: Annotated[
        Path | None, typer.Option("--labelled", help="A set of your own, in the form of ours.")
    ] = None,
    readings: Annotated[
        int, typer.Option("--readings", min=0, help="So many texts for blind reading, evenly from all.")
    ] = 300,
    json: AsJson = False,
) -> None:
    """Give a judge items whose verdict is known, and say how often it is right."""
    from rich.console import Console
    from rich.progress import Progress

    from assay.api.judging import judge_eval as measure_judge

    with Progress(console=Console(stderr=True), transient=True) as bar:
        row = bar.add_task("items judged", total=None)
        calibration = measure_judge(
            judge_model,
            repeats=repeats,
            limit=limit,
            labelled=labelled,
            readings=readings,
            on_plan=lambda total: bar.update(row, total=total),
            on_item=lambda _: bar.advance(row),
        )
    if json:
        print_json(calibration.model_dump(mode="json"))
    else:
        _print(calibration)


def _print(measured: Calibration) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table

    console = Console(highlight=False)
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold")
    for name in ("phase", "agrees, [95%]", "κ, [95%]", "false passes", "false fails", "unknown"):
        table.add_column(name, overflow="fold")
    for row in measured.phases:
        spread = f"{_two(row.kappa)} [{_two(row.kappa_low)}, {_two(row.kappa_high)}]"
        shares = [_share(part) for part in (row.false_passes, row.false_fails, row.unknown)]
        table.add_row(row.phase, _share(row.agreed), spread, *shares)
    console.print(table)
    resisted = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold")
    for name in ("fault", "called met all the same"):
        resisted.add_column(name, no_wrap=True)
    for part in measured.faults:
        resisted.add_row(part.fault, _share(part.passed))
    console.print(resisted)
    spent = measured.judging
    console.print(
        f"{measured.model}, {measured.repeats} votes an item: "
        f"votes without an answer {_share(measured.failed)}, votes for met "
        f"without proof {_share(measured.void)}; {spent.calls} calls, "
        f"{spent.input_tokens + spent.output_tokens:,} tokens"
        + (f", ${spent.cost:.2f}" if spent.cost is not None else "")
    )


def _share(share: Share) -> str:
    from assay.reporting.wording import percent

    if not share.of:
        return "–"
    return f"{share.count}/{share.of}, {percent(share.rate)}% [{percent(share.low)}, {percent(share.high)}]"


def _two(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"
