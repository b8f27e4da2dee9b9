"""assay top: a live view of a run, from any machine that sees its folder of logs."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from assay.cli.options import AsJson, print_json

if TYPE_CHECKING:
    from assay.evaluation.progress_file import RunProgress

SHOWN = 20
"""Running attempts that the view lists."""


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command()(top)


def top(
    logs: Annotated[Path, typer.Argument(help="The folder of logs of the run.")] = Path("logs"),
    once: Annotated[bool, typer.Option("--once", help="Print the state and exit.")] = False,
    page: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Also write the state as an HTML page that loads itself again."),
    ] = None,
    json: AsJson = False,
) -> None:
    """Show a running evaluation: what runs on each node, pace, cost, failures, time left."""
    from assay.evaluation.progress_file import WRITE_SECONDS, read_progress

    progress = read_progress(logs)
    if page is not None:
        page = _write_page(progress, page)
    if json:
        print_json(progress.model_dump())
        return
    if once:
        print("\n".join(progress_lines(progress)))
        return
    from rich.live import Live
    from rich.text import Text

    with Live(auto_refresh=False) as live:
        while True:
            live.update(Text("\n".join(progress_lines(progress))), refresh=True)
            if progress.ended:
                return
            time.sleep(WRITE_SECONDS)
            progress = read_progress(logs)
            if page is not None:
                _write_page(progress, page)


def _write_page(progress: RunProgress, page: Path) -> Path:
    from assay.errors import UsageError
    from assay.reporting.live_page import write_live_page

    try:
        return write_live_page(progress, page)
    except OSError as error:
        raise UsageError(
            f"{page} cannot be written: {error}", hint="name a file in a folder that exists"
        ) from None


def progress_lines(progress: RunProgress) -> list[str]:
    """Return the view as lines of text."""
    from assay.reporting.wording import money_text, time_text, tokens_text

    finished_count = progress.done_before + progress.finished
    pace = 60 * progress.finished / progress.seconds if progress.seconds > 0 else 0.0
    remaining = progress.seconds_left
    end = "time left unknown" if remaining is None else f"about {time_text(remaining)} left"
    state = "ended" if progress.ended else end
    cost = "price unknown" if progress.cost is None else money_text(progress.cost)
    lines = [
        f"{finished_count} of {progress.total} attempts done on {progress.engine}, {state}",
        f"{pace:.1f} attempts a minute, {tokens_text(progress.tokens)} tokens, {cost}",
        f"outcomes: {_counts(progress.outcomes)}",
        f"not passed, by owner: {_counts(progress.owners)}",
        f"state of {time.strftime('%H:%M:%S', time.localtime(progress.updated))}",
        "",
    ]
    for node in sorted({*progress.nodes, *(attempt.node for attempt in progress.running)}):
        attempts = [attempt for attempt in progress.running if attempt.node == node]
        lines.append(f"{node}: {progress.nodes.get(node, 0)} finished, {len(attempts)} running")
        for attempt in attempts[:SHOWN]:
            seconds = progress.updated - attempt.since
            lines.append(f"  {attempt.agent} on {attempt.task}, {time_text(seconds)}")
        if len(attempts) > SHOWN:
            lines.append(f"  and {len(attempts) - SHOWN} more")
    return lines


def _counts(counts: dict[str, int]) -> str:
    return ", ".join(f"{count} {name}" for name, count in sorted(counts.items())) or "none"
