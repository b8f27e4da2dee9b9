"""Score over time as inline SVG: a step curve for each attempt, the median of each agent heavier."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from assay.reporting.plot import (
    BOTTOM,
    COLOURS,
    HEIGHT,
    LEFT,
    RIGHT,
    SHAPES,
    TOP,
    WIDTH,
    Axis,
    LineEnd,
    framed,
    labels,
    mark,
    share_ticks,
    x_place,
)
from assay.scoring.scorecards.over_time import Steps, Timeline

if TYPE_CHECKING:
    from markupsafe import Markup

LOWEST, HIGHEST = -1.0, 2.0
"""Scores beyond these are drawn at the edge; the table beside has the numbers."""


def step_plot(rows: Sequence[Timeline], names: Sequence[str], hrefs: Sequence[str]) -> Markup:
    """The drawing of one challenge; `names` and `hrefs` go with the rows."""
    from markupsafe import Markup

    scores = [score for row in rows for iteration in row.each for _, score in iteration.steps]
    low = max(LOWEST, min([0.0, *scores]))
    high = min(HIGHEST, max([1.0, *scores]))
    margin = (high - low) * 0.06
    span = (low - (margin if low < 0 else 0), high + margin)
    axis = share_ticks(_latest(rows), "seconds since the attempt began")
    ruled, named = _grid(axis, span)
    parts, ends = [ruled], []
    for number, (row, name, href) in enumerate(zip(rows, names, hrefs, strict=True)):
        look = f"s{number % COLOURS}"
        shape = SHAPES[number % len(SHAPES)]
        curves = [
            _path(iteration.steps, axis, span, "each", shape) for iteration in row.each if iteration.steps
        ]
        if row.median:
            curves.append(_path(row.median, axis, span, "median", shape))
            ends.append(LineEnd(x_place(axis.high, axis), _y(row.median[-1][1], span), name, look, shape))
        group = '<g class="curves {}"><a href="{}" tabindex="-1"><title>{}</title>{}</a></g>'
        parts.append(Markup(group).format(look, href, name, Markup("").join(curves)))
    parts += [named, labels(ends, at_edge=True)]
    return framed(parts, ends)


def _latest(rows: Sequence[Timeline]) -> float:
    return (
        max(
            (seconds for row in rows for iteration in row.each for seconds, _ in iteration.steps), default=1.0
        )
        * 1.05
    )


def _y(score: float, span: tuple[float, float]) -> float:
    low, high = span
    share = (min(max(score, low), high) - low) / (high - low)
    return TOP + (1 - share) * (HEIGHT - TOP - BOTTOM)


def _grid(axis: Axis, span: tuple[float, float]) -> tuple[Markup, Markup]:
    """The rules and ticks, and the names that stand over the curves."""
    from markupsafe import Markup

    parts, names = [], []
    for score, name in ((0.0, "baseline"), (0.5, ""), (1.0, "reference")):
        look = "rule known" if name else "rule"
        line = '<line class="{}" x1="{}" x2="{}" y1="{:.1f}" y2="{:.1f}"/>'
        place = _y(score, span)
        parts.append(Markup(line).format(look, LEFT, WIDTH - RIGHT, place, place))
        text = '<text class="tick" x="{}" y="{:.1f}" text-anchor="end">{:g}</text>'
        parts.append(Markup(text).format(LEFT - 8, place + 4, score))
        if name:
            label = '<text class="axis halo" x="{}" y="{:.1f}" text-anchor="end">{}</text>'
            names.append(Markup(label).format(WIDTH - RIGHT - 4, place - 5, name))
    for value, label in axis.ticks:
        text = '<text class="tick" x="{:.1f}" y="{}" text-anchor="middle">{}</text>'
        parts.append(Markup(text).format(x_place(value, axis), HEIGHT - BOTTOM + 18, label))
    named = '<text class="axis" x="{}" y="{}" text-anchor="middle">{}</text>'
    parts.append(Markup(named).format((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 6, axis.name))
    return Markup("").join(parts), Markup("").join(names)


def _path(steps: Steps, axis: Axis, span: tuple[float, float], look: str, shape: str) -> Markup:
    """Level until the next rise, then straight up; the last level goes on to the edge."""
    from markupsafe import Markup

    places: list[tuple[float, float]] = []
    for seconds, score in steps:
        across, height = x_place(seconds, axis), _y(score, span)
        places += [(across, places[-1][1]), (across, height)] if places else [(across, height)]
    places.append((x_place(axis.high, axis), places[-1][1]))
    path = " ".join(f"{across:.1f},{height:.1f}" for across, height in places)
    group = Markup('<g class="{}"><polyline points="{}"/>{}</g>')
    return group.format(look, path, mark(shape, *places[0]))
