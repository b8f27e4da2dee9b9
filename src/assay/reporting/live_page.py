"""The state of a run as an HTML page in the style of the report; it loads itself again while the run goes on.

The page is a file that is written again and again, so it needs no server: everybody who sees the file can
follow the run. It has no links to files and no script but the one of the theme.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

from assay.evaluation.progress_file import WRITE_SECONDS, RunningAttempt, RunProgress
from assay.files import publish
from assay.reporting.html import content_policy, make_environment, page_source

SCRIPTS = ("open", "theme", "end")
MOST_RUNNING = 50
"""Running attempts of a node that the page lists."""


@dataclass(frozen=True)
class NodeRow:
    """What one node has done and does now."""

    name: str
    finished: int
    per_minute: float
    running: list[RunningAttempt]


def write_live_page(progress: RunProgress, out: Path) -> Path:
    """Write the page; a folder gets `top.html`."""
    place = out / "top.html" if out.is_dir() else out
    publish(place, render_live(progress))
    return place


def render_live(progress: RunProgress) -> str:
    """The page as text; that of a run that has ended does not load itself again."""
    from assay.version import __version__

    environment = make_environment()
    script = "".join(page_source(environment, f"script/{name}.js") for name in SCRIPTS)
    return environment.get_template("live.html").render(
        progress=progress,
        nodes=node_rows(progress),
        done=progress.done_before + progress.finished,
        pace=per_minute(progress.finished, progress.seconds),
        state_time=time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(progress.updated)),
        refresh_seconds=None if progress.ended else round(WRITE_SECONDS),
        MOST_RUNNING=MOST_RUNNING,
        style=page_source(environment, "style.css") + page_source(environment, "figures.css"),
        script=script,
        policy=content_policy(script),
        version=__version__,
    )


def node_rows(progress: RunProgress) -> list[NodeRow]:
    """Every node that finished an attempt or makes one."""
    names = {*progress.nodes, *(attempt.node for attempt in progress.running)}
    return [
        NodeRow(
            name,
            progress.nodes.get(name, 0),
            per_minute(progress.nodes.get(name, 0), progress.seconds),
            [attempt for attempt in progress.running if attempt.node == name],
        )
        for name in sorted(names)
    ]


def per_minute(finished: int, seconds: float) -> float:
    """Attempts a minute; 0 before the first second."""
    return 60 * finished / seconds if seconds > 0 else 0.0
