"""Plots as inline SVG: points with their intervals, lines where x has an order, published values dashed.

A plot is a drawing of a table that stands beside it, so it is hidden from screen readers, and the table not.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from markupsafe import Markup

WIDTH, HEIGHT = 760, 330
LEFT, RIGHT, TOP, BOTTOM = 46, 190, 14, 44
COLOURS = 6
"""How many colours the style has for lines; further ones begin again with another mark."""


@dataclass(frozen=True)
class Point:
    """A place with an interval, and what opens behind it."""

    x: float
    y: float
    low: float | None = None
    high: float | None = None
    href: str = ""


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


def plot(lines: Sequence[Line], axis: Axis, *, joined: bool, y_name: str = "passed") -> Markup:
    """The drawing; `joined` draws lines through the points of each agent."""
    from markupsafe import Markup

    parts = [_grid(axis, y_name)]
    measured_lines = [line for line in lines if not line.published]
    ends: list[tuple[float, float, str, str]] = []
    for line in (line for line in lines if line.published):
        parts.append(_drawn(line, axis, "published", joined, 0.0))
        ends.append((*_end(line, axis), line.label, "published"))
    for number, line in enumerate(measured_lines):
        shift = (number - (len(measured_lines) - 1) / 2) * 7 if joined else 0.0
        look = f"s{number % COLOURS}"
        parts.append(_drawn(line, axis, look, joined, shift))
        ends.append((*_end(line, axis), line.label, look))
    parts.append(labels(ends, at_edge=joined))
    return Markup(
        '<svg class="plot" viewBox="0 0 {} {}" aria-hidden="true" focusable="false">{}</svg>'
    ).format(WIDTH, HEIGHT, Markup("").join(parts))


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
    parts.append(Markup('<text class="axis" x="{}" y="{}">{}</text>').format(LEFT + 4, TOP - 3, y_name))
    return Markup("").join(parts)


def _drawn(line: Line, axis: Axis, look: str, joined: bool, shift: float) -> Markup:
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
        if not line.published:
            mark = Markup('<circle cx="{:.1f}" cy="{:.1f}" r="4"/>').format(x, y)
            link = Markup('<a href="{}" tabindex="-1"><title>{}</title>{}</a>')
            parts.append(link.format(point.href, line.label, mark) if point.href else mark)
    return Markup('<g class="{}">{}</g>').format(look, Markup("").join(parts))


def _end(line: Line, axis: Axis) -> tuple[float, float]:
    last = max(line.points, key=lambda point: point.x)
    return x_place(last.x, axis), _y(last.y)


def labels(ends: Sequence[tuple[float, float, str, str]], *, at_edge: bool) -> Markup:
    """Names beside the last points, moved apart until none covers another."""
    from markupsafe import Markup

    ranked = sorted(ends, key=lambda end: end[1])
    parts = []
    for place, (x, _, label, look) in zip(_apart([end[1] + 4 for end in ranked]), ranked, strict=True):
        left = WIDTH - RIGHT + 12 if at_edge else min(x + 9, WIDTH - RIGHT + 12)
        named = re.sub(r" · [^/\s]+/", " · ", label)
        short = named if len(named) <= 30 else named[:29] + "…"
        text = '<text class="name {}" x="{:.1f}" y="{:.1f}">{}</text>'
        parts.append(Markup(text).format(look, left, place, short))
    return Markup("").join(parts)


def _apart(places: Sequence[float]) -> list[float]:
    """Rising places moved apart by a line's height each, none below the axis."""
    spread: list[float] = []
    for place in places:
        spread.append(max(place, spread[-1] + 14) if spread else place)
    lowest = HEIGHT - BOTTOM + 4.0
    for at in range(len(spread) - 1, -1, -1):
        spread[at] = min(spread[at], lowest)
        lowest = spread[at] - 14
    return spread
