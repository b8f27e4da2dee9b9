"""Plots as inline SVG: points with their intervals, lines where x has an order, published values dashed.

Colour is never the only difference: a line has its own mark, a published line its own dashes and an open
mark, and every line is named at its end beside a sample of it. A plot is a drawing of a table that stands
beside it, so it is hidden from screen readers, and the table not.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from markupsafe import Markup

WIDTH, HEIGHT = 800, 340
LEFT, RIGHT, TOP, BOTTOM = 46, 230, 20, 44
COLOURS = 6
"""How many colours the style has for lines, and how many kinds of dashes for published ones."""
SHAPES = ("circle", "square", "diamond", "up", "down", "cross", "bar")
"""Marks of lines; their number shares no factor with that of the colours, so that pairs repeat late."""
LINE_HEIGHT = 15


@dataclass(frozen=True)
class Point:
    """A place with an interval, and what opens behind it."""

    x: float
    y: float
    low: float | None = None
    high: float | None = None
    href: str = ""
    hollow: bool = False
    """Drawn open: nothing was handed in."""


@dataclass(frozen=True)
class Line:
    """One agent, or one published reference."""

    label: str
    points: Sequence[Point]
    published: bool = False


@dataclass(frozen=True)
class Axis:
    """What x means: its ticks with their labels, its range, its name."""

    name: str
    ticks: Sequence[tuple[float, str]]
    low: float
    high: float


@dataclass(frozen=True)
class LineEnd:
    """Where a line ends, and how its name and its sample look."""

    x: float
    y: float
    label: str
    look: str
    shape: str = "circle"


def plot(lines: Sequence[Line], axis: Axis, *, joined: bool, y_name: str = "passed") -> Markup:
    """The drawing; `joined` draws lines through the points of each agent."""

    parts = [_grid(axis, y_name)]
    measured_count = sum(not line.published for line in lines)
    ends: list[LineEnd] = []
    numbers = {True: 0, False: 0}
    for line in sorted(lines, key=lambda line: not line.published):
        number = numbers[line.published]
        numbers[line.published] += 1
        shift = (number - (measured_count - 1) / 2) * 7 if joined and not line.published else 0.0
        look = f"published p{number % COLOURS}" if line.published else f"s{number % COLOURS}"
        shape = SHAPES[number % len(SHAPES)]
        parts.append(_drawn(line, axis, look, shape, joined, shift))
        ends.append(LineEnd(*_end(line, axis), line.label, look, shape))
    parts.append(labels(ends, at_edge=joined))
    return framed(parts, ends if joined else [])


def framed(parts: Sequence[Markup], ends: Sequence[LineEnd]) -> Markup:
    """The parts of a plot as one drawing, and the names of its lines once more, which a phone shows below."""
    from markupsafe import Markup

    drawing = Markup('<svg class="plot" viewBox="0 0 {} {}" aria-hidden="true" focusable="false">{}</svg>')
    item = Markup('<li><svg class="plot sample" viewBox="-2 0 28 12"><g class="{}">{}</g></svg> {}</li>')
    names = [item.format(end.look, _sample(end, 0, 6), end.label) for end in ends]
    below = Markup('<ul class="line-names" aria-hidden="true">{}</ul>').format(Markup("").join(names))
    return drawing.format(WIDTH, HEIGHT, Markup("").join(parts)) + (below if names else Markup(""))


def _sample(end: LineEnd, left: float, y: float) -> Markup:
    """A short piece of a line with its mark."""
    from markupsafe import Markup

    line = f"{left:.1f},{y:.1f} {left + 22:.1f},{y:.1f}"
    shape = mark(end.shape, left + 11, y, hollow=end.look.startswith("published"))
    return Markup('<polyline points="{}"/>{}').format(line, shape)


def share_ticks(highest: float, unit: str) -> Axis:
    """A range from 0 to a round number above the highest value, in four or five steps."""
    from math import ceil, floor, log10

    top = highest if highest > 0 else 1.0
    size = 10 ** floor(log10(top / 4))
    step = next(size * factor for factor in (1, 2, 2.5, 5, 10) if top / (size * factor) <= 5)
    count = ceil(top / step)
    ticks = [(place * step, f"{place * step:g}") for place in range(count + 1)]
    return Axis(unit, ticks, 0.0, count * step)


def x_place(value: float, axis: Axis) -> float:
    """Where a value of x stands in the drawing."""
    span = axis.high - axis.low or 1.0
    return LEFT + (value - axis.low) / span * (WIDTH - LEFT - RIGHT)


def _y(share: float) -> float:
    return TOP + (1 - share) * (HEIGHT - TOP - BOTTOM)


def _grid(axis: Axis, y_name: str) -> Markup:
    from markupsafe import Markup

    parts = []
    for share in (0, 0.25, 0.5, 0.75, 1):
        line = '<line class="rule" x1="{}" x2="{}" y1="{:.1f}" y2="{:.1f}"/>'
        text = '<text class="tick" x="{}" y="{:.1f}" text-anchor="end">{:.0f}%</text>'
        parts.append(Markup(line).format(LEFT, WIDTH - RIGHT, _y(share), _y(share)))
        parts.append(Markup(text).format(LEFT - 8, _y(share) + 4, share * 100))
    for value, label in axis.ticks:
        text = '<text class="tick" x="{:.1f}" y="{}" text-anchor="middle">{}</text>'
        parts.append(Markup(text).format(x_place(value, axis), HEIGHT - BOTTOM + 18, label))
    named = '<text class="axis" x="{}" y="{}" text-anchor="middle">{}</text>'
    parts.append(Markup(named).format((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 6, axis.name))
    parts.append(Markup('<text class="axis" x="{}" y="{}">{}</text>').format(LEFT + 4, TOP - 6, y_name))
    return Markup("").join(parts)


def mark(shape: str, x: float, y: float, *, hollow: bool = False) -> Markup:
    """The mark of a line at one place."""
    from markupsafe import Markup

    paths = {
        "square": "M-4-4h8v8h-8z",
        "diamond": "M0-5.4L5.4 0 0 5.4-5.4 0z",
        "up": "M0-5.2L5 3.8H-5z",
        "down": "M0 5.2L5-3.8H-5z",
        "cross": "M-1.7-5h3.4v3.3H5v3.4H1.7V5h-3.4V1.7H-5v-3.4h3.3z",
        "bar": "M-2-5.5h4v11h-4z",
    }
    look = "mark hollow" if hollow else "mark"
    if shape not in paths:
        return Markup('<circle class="{}" cx="{:.1f}" cy="{:.1f}" r="4.2"/>').format(look, x, y)
    return Markup('<path class="{}" transform="translate({:.1f} {:.1f})" d="{}"/>').format(
        look, x, y, paths[shape]
    )


def _drawn(line: Line, axis: Axis, look: str, shape: str, joined: bool, shift: float) -> Markup:
    from markupsafe import Markup

    places = [(x_place(point.x, axis) + shift, _y(point.y), point) for point in line.points]
    parts = []
    if joined and len(places) > 1:
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y, _ in places)
        parts.append(Markup('<polyline points="{}"/>').format(path))
    for x, y, point in places:
        if point.low is not None and point.high is not None:
            span = '<line class="span" x1="{:.1f}" x2="{:.1f}" y1="{:.1f}" y2="{:.1f}"/>'
            parts.append(Markup(span).format(x, x, _y(point.low), _y(point.high)))
        drawn_mark = mark(shape, x, y, hollow=line.published or point.hollow)
        link = Markup('<a href="{}" tabindex="-1"><title>{}</title>{}</a>')
        title = f"{line.label}: nothing handed in" if point.hollow else line.label
        parts.append(link.format(point.href, title, drawn_mark) if point.href else drawn_mark)
    return Markup('<g class="{}">{}</g>').format(look, Markup("").join(parts))


def _end(line: Line, axis: Axis) -> tuple[float, float]:
    last = max(line.points, key=lambda point: point.x)
    return x_place(last.x, axis), _y(last.y)


def labels(ends: Sequence[LineEnd], *, at_edge: bool) -> Markup:
    """Names beside the last points, each with a sample of its line, moved apart until none covers another."""
    from markupsafe import Markup

    ranked = sorted(ends, key=lambda end: end.y)
    parts = []
    for height, end in zip(_moved_apart([end.y + 4 for end in ranked]), ranked, strict=True):
        left = WIDTH - RIGHT + 12 if at_edge else min(end.x + 9, WIDTH - RIGHT + 12)
        plain = re.sub(r" · [^/\s]+/", " · ", end.label)
        short = plain if len(plain) <= 30 else plain[:29] + "…"
        sample = Markup("")
        if at_edge:
            sample = _sample(end, left, height - 4)
            left += 28
        text = '<g class="{}">{}<text class="name" x="{:.1f}" y="{:.1f}">{}</text></g>'
        parts.append(Markup(text).format(end.look, sample, left, height, short))
    return Markup("").join(parts)


def _moved_apart(heights: Sequence[float]) -> list[float]:
    """Rising heights moved apart by a line's height each, none below the axis."""
    spread: list[float] = []
    for height in heights:
        spread.append(max(height, spread[-1] + LINE_HEIGHT) if spread else height)
    lowest = HEIGHT - BOTTOM + 4.0
    for place in range(len(spread) - 1, -1, -1):
        spread[place] = min(spread[place], lowest)
        lowest = spread[place] - LINE_HEIGHT
    return spread
