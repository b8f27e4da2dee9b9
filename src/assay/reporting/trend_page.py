"""The trend as an HTML page: score over dates, one plot a suite, and a link to the report of each run."""

from __future__ import annotations

import os
from collections.abc import Mapping
from datetime import date
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from assay.reporting.html import content_policy, make_environment, page_source, write
from assay.reporting.page import anchors
from assay.reporting.plot import Axis, Line, Point, plot
from assay.reporting.trend import Trend, TrendPoint, make_trend, read_runs
from assay.scoring import LogRecord, Method

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from markupsafe import Markup

MOST_LINES = 6
"""Agents that a plot shows: as many as there are colours; the table has all."""
MOST_TICKS = 6
SCRIPTS = ("open", "theme", "end")


def build_trend(paths: Iterable[Path | str], out: Path, *, method: Method = "wilson") -> Path:
    """Reads several runs and writes the trend page, with a report of each run in a folder beside it."""
    return write_trend(read_runs(paths), out, method=method)


def write_trend(records: Mapping[str, LogRecord], out: Path, *, method: Method = "wilson") -> Path:
    """Writes the page (a folder gets `trend.html`) and the reports that it links to."""
    place = out / "trend.html" if out.is_dir() else out
    folder = place.parent / f"{place.stem}-runs"
    folder.mkdir(parents=True, exist_ok=True)
    links = {}
    for name, anchor in zip(records, anchors(records), strict=True):
        target = write(records[name], folder / f"{anchor}.html", method=method)
        links[name] = f"{folder.name}/{target.name}"
    unfinished = place.with_name(f".{place.name}.{os.getpid()}")
    text = render_trend(make_trend(dict(records), method=method), links)
    unfinished.write_text(text, encoding="utf-8")
    return unfinished.replace(place)


def render_trend(trend: Trend, links: Mapping[str, str]) -> str:
    """The page as text; `links` has the address of each run's report."""
    from assay import __version__

    environment = make_environment()
    script = "".join(page_source(environment, f"script/{name}.js") for name in SCRIPTS)
    return environment.get_template("trend.html").render(
        trend=trend,
        links=links,
        plots={suite: trend_plot(trend, suite, links) for suite in trend.suites},
        MOST_LINES=MOST_LINES,
        style=page_source(environment, "style.css") + page_source(environment, "figures.css"),
        script=script,
        policy=content_policy(script),
        version=__version__,
    )


def trend_plot(trend: Trend, suite: str, links: Mapping[str, str]) -> Markup | None:
    """Pass rate over dates, with intervals; None where no run says when it was."""
    series = sorted(
        trend.series(suite).items(), key=lambda item: (-len(item[1]), -(item[1][-1].rate.rate or 0))
    )
    started = {run.name: day_number(run.date) for run in trend.runs}
    lines = []
    for (agent, model), points in series[:MOST_LINES]:
        placed = [_point(point, started.get(point.run), links) for point in points]
        marks = [point for point in placed if point is not None]
        if marks:
            lines.append(Line(agent if model == "none" else f"{agent} · {model}", marks))
    days = sorted({day for day in started.values() if day is not None})
    return plot(lines, date_axis(days), joined=True) if lines and days else None


def day_number(text: str) -> int | None:
    """A date as a number of days; None where the text is none."""
    try:
        return date.fromisoformat(text).toordinal()
    except ValueError:
        return None


def date_axis(days: Sequence[int]) -> Axis:
    """The dates of runs, or evenly spread dates where there are too many to name each."""
    first, last = days[0], days[-1]
    span = max(last - first, 1)
    ticks = list(days)
    if len(days) > MOST_TICKS or any(after - before < span / 7 for before, after in pairwise(days)):
        steps = min(MOST_TICKS, span + 1) - 1
        ticks = [round(first + span * step / steps) for step in range(steps + 1)] if last > first else [first]
    named = [(float(day), date.fromordinal(day).isoformat()) for day in ticks]
    return Axis("date of the run", named, first - span * 0.06, last + span * 0.06)


def _point(point: TrendPoint, day: int | None, links: Mapping[str, str]) -> Point | None:
    rate = point.rate
    if day is None or rate.rate is None:
        return None
    return Point(day, rate.rate, rate.low, rate.high, links.get(point.run, ""))
