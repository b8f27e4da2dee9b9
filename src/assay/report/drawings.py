"""The report's plots: masked tasks by n, money and time against score, challenges against time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.report.charts import Axis, Line, Point, plot, share_ticks
from assay.report.steps import step_plot
from assay.report.wording import behind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from markupsafe import Markup

    from assay.report.page import Page
    from assay.scoring.scorecards.over_time import Timeline

MOST_CURVES = 6
"""As many as there are colours: crossing lines must be told apart."""
MOST_LINES = 10
MOST_TIMED = 12
"""Challenges whose score over time is drawn."""
MOST_POINTS = 400


def curve(page: Page, suite: str) -> Markup:
    """Pass rate by the number of removed functions, with AutoExperiment's published curves."""
    own = [one for one in page.figures.curves if one.suite == suite][:MOST_CURVES]
    last = max(n for one in own for n in one.points)
    lines = [
        Line(f"published: {model}", [Point(n, points[n].value) for n in sorted(points) if n <= last], True)
        for model, points in page.figures.published_curves().items()
    ]
    for one in own:
        column = page.column(one.agent, one.model)
        lines.append(
            Line(
                column.label,
                [
                    Point(
                        n,
                        rate.rate or 0.0,
                        rate.low,
                        rate.high,
                        behind(suite=suite, agent=column.anchor, kind="masked", n=n, by="figures"),
                    )
                    for n, rate in one.points.items()
                ],
            )
        )
    ticks = [
        (n, "1: reproduction" if n == 1 else f"{n}: replication" if n == 2 else str(n))
        for n in range(1, last + 1)
    ]
    axis = Axis("functions removed", ticks, 0.6, last + 0.4)
    return plot(lines, axis, joined=True)


def spending(page: Page, suite: str, what: str) -> Markup | None:
    """Pass rate against the mean cost or time of an attempt; None where nothing is known of it."""
    lines = []
    highest = 0.0
    for column, card in page.score_rows(suite, "agent")[:MOST_LINES]:
        spent = (card.cost, card.priced) if what == "cost" else (card.seconds, card.attempts)
        if spent[0] is None or not spent[1] or card.rate is None:
            continue
        mean = spent[0] / spent[1]
        highest = max(highest, mean)
        href = behind(suite=suite, agent=column.anchor, by="report")
        lines.append(Line(column.label, [Point(mean, card.rate, card.low, card.high, href)]))
    if not lines:
        return None
    return plot(lines, share_ticks(highest, f"mean {UNITS[what]} an attempt"), joined=False)


UNITS = {"cost": "dollars", "time": "seconds"}


def over_time(page: Page, rows: Sequence[Timeline]) -> Markup:
    """Score over time of one challenge, the first agents of it."""
    shown = list(rows)[:MOST_CURVES]
    columns = [page.column(one.agent, one.model) for one in shown]
    hrefs = [
        behind(suite=one.suite, agent=column.anchor, task=page.task(one.suite, one.task).anchor, by="figures")
        for one, column in zip(shown, columns, strict=True)
    ]
    return step_plot(shown, [column.label for column in columns], hrefs)


def challenges(page: Page, suite: str) -> Markup | None:
    """The final score of each attempt at a challenge against the time that it took."""
    lines: list[Line] = []
    highest = 0.0
    for place, column in enumerate(page.columns):
        if column.card.role != "agent" or len(lines) >= MOST_LINES:
            continue
        points = [
            Point(
                one.seconds,
                min(max(one.normalised, 0.0), 1.0),
                href=f"#{page.tasks[task].anchor}/{column.anchor}/{one.epoch}",
            )
            for task, agent, one in page.ordered
            if agent == place
            and one.suite == suite
            and one.normalised is not None
            and one.seconds is not None
        ][: MOST_POINTS // MOST_LINES]
        if points:
            highest = max(highest, *(point.x for point in points))
            lines.append(Line(column.label, points))
    if not lines:
        return None
    return plot(
        lines,
        share_ticks(highest, "seconds of the attempt"),
        joined=False,
        y_name="score: baseline 0%, reference 100%",
    )
