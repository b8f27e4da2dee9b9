"""The report's plots: masked tasks by n, money and time against score, challenges against time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.reporting.plot import Axis, Line, Point, plot, share_ticks
from assay.reporting.step_plot import step_plot
from assay.reporting.wording import behind
from assay.scoring.scorecards.over_time import is_empty
from assay.tasks.kinds import MASKED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from markupsafe import Markup

    from assay.reporting.page import ReportPage
    from assay.scoring.scorecards.over_time import Timeline

MOST_CURVES = 6
"""As many as there are colours, so that crossing lines stay distinct."""
MOST_LINES = 10
MOST_TIMED = 12
"""Challenges whose score over time is drawn."""
MOST_POINTS = 400


def curve(page: ReportPage, suite: str) -> Markup:
    """Pass rate by the number of removed functions, with AutoExperiment's published curves."""
    own_curves = [curve_row for curve_row in page.figures.curves if curve_row.suite == suite][:MOST_CURVES]
    last = max(n for curve_row in own_curves for n in curve_row.points)
    lines = [
        Line(f"published: {model}", [Point(n, points[n].value) for n in sorted(points) if n <= last], True)
        for model, points in page.figures.published_curves().items()
    ]
    for curve_row in own_curves:
        column = page.column(curve_row.agent, curve_row.model)
        lines.append(
            Line(
                column.label,
                [
                    Point(
                        n,
                        rate.rate or 0.0,
                        rate.low,
                        rate.high,
                        behind(suite=suite, agent=column.anchor, kind=MASKED, n=n, by="figures"),
                    )
                    for n, rate in curve_row.points.items()
                ],
            )
        )
    ticks = [
        (n, "1: reproduction" if n == 1 else f"{n}: replication" if n == 2 else str(n))
        for n in range(1, last + 1)
    ]
    axis = Axis("functions removed", ticks, 0.6, last + 0.4)
    return plot(lines, axis, joined=True)


def spending(page: ReportPage, suite: str, measure: str) -> Markup | None:
    """Pass rate against the mean cost or time of an attempt; None where nothing is known of it."""
    lines = []
    highest = 0.0
    for column, card in page.score_rows(suite, "agent")[:MOST_LINES]:
        spent = (card.cost, card.priced) if measure == "cost" else (card.seconds, card.attempts)
        # A recorded agent may not have said how long it worked: then its time is unknown, not zero.
        unknown = spent[0] is None or (measure == "time" and column.card.recorded and not spent[0])
        if spent[0] is None or unknown or not spent[1] or card.rate is None:
            continue
        mean = spent[0] / spent[1]
        highest = max(highest, mean)
        href = behind(suite=suite, agent=column.anchor, by="report")
        lines.append(Line(column.label, [Point(mean, card.rate, card.low, card.high, href)]))
    if not lines:
        return None
    return plot(lines, share_ticks(highest, f"mean {UNITS[measure]} an attempt"), joined=False)


UNITS = {"cost": "dollars", "time": "seconds"}


def over_time(page: ReportPage, rows: Sequence[Timeline]) -> Markup:
    """Score over time of one challenge, the first agents of it."""
    drawn_rows = list(rows)[:MOST_CURVES]
    columns = [page.column(timeline.agent, timeline.model) for timeline in drawn_rows]
    hrefs = [
        behind(
            suite=timeline.suite,
            agent=column.anchor,
            task=page.task(timeline.suite, timeline.task).anchor,
            by="figures",
        )
        for timeline, column in zip(drawn_rows, columns, strict=True)
    ]
    return step_plot(drawn_rows, [column.label for column in columns], hrefs)


def challenges(page: ReportPage, suite: str) -> Markup | None:
    """The final score of each attempt at a challenge against the time that it took."""
    lines: list[Line] = []
    highest = 0.0
    for place, column in enumerate(page.columns):
        if column.card.role != "agent" or len(lines) >= MOST_LINES:
            continue
        points = [
            Point(
                attempt.seconds,
                min(max(attempt.normalised, 0.0), 1.0),
                href=f"#{page.tasks[task].anchor}/{column.anchor}/{attempt.epoch}",
                hollow=is_empty(attempt.submission),
            )
            for task, agent, attempt in page.ordered
            if agent == place
            and attempt.suite == suite
            and attempt.normalised is not None
            and attempt.seconds is not None
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
