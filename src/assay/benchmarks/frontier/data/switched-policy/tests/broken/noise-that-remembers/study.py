"""A load that follows the policy slowly, with a daily wave and noise that remembers, fitted to all ticks."""

from __future__ import annotations

import math

from linear import Fit, interval

MARGIN = 0.8

Found = tuple[float, float, float]
Columns = list[list[float]]


def hours(row: dict[str, str]) -> list[float]:
    """The daily cycle as a wave."""
    angle = 2 * math.pi * int(row["hour"]) / 24
    return [math.sin(angle), math.cos(angle)]


def response(rows: list[dict[str, str]], memory: float) -> list[float]:
    """How far the load has followed the policy at each tick; before the first tick it had settled."""
    followed = float(rows[0]["policy"] == "tuned")
    values = []
    for row in rows:
        followed = memory * followed + (1 - memory) * (row["policy"] == "tuned")
        values.append(followed)
    return values


def without_memory(values: list[float], noise_memory: float) -> list[float]:
    """What is new at each tick."""
    return [now - noise_memory * before for before, now in zip(values, values[1:], strict=False)]


def fit_at(columns: Columns, y: list[float], noise_memory: float) -> Fit:
    changed = [without_memory(column, noise_memory) for column in columns]
    return Fit(list(zip(*changed, strict=True)), without_memory(y, noise_memory))


def noise_memory_of(columns: Columns, y: list[float], fit: Fit) -> float:
    """How much of the noise of one tick is left at the next."""
    rest = [
        value - sum(a * b for a, b in zip(row, fit.coefficients, strict=True))
        for row, value in zip(zip(*columns, strict=True), y, strict=True)
    ]
    return sum(a * b for a, b in zip(rest, rest[1:], strict=False)) / sum(a * a for a in rest[:-1])


def analyse(rows: list[dict[str, str]]) -> Found | None:
    y = [float(row["load"]) for row in rows]
    fixed: Columns = [[1.0] * len(rows), *map(list, zip(*map(hours, rows), strict=True))]
    columns = [*fixed, response(rows, 0.77)]
    noise_memory = noise_memory_of(columns, y, fit_at(columns, y, 0.0))
    best = 0.77

    def misfit(memory: float) -> float:
        fit = fit_at([*fixed, response(rows, memory)], y, noise_memory)
        return sum(residual**2 for residual in fit.residuals)

    for width in (0.12, 0.05, 0.02, 0.008):
        best = min((max(0.3, min(0.95, best + width * step)) for step in (-1, 0, 1)), key=misfit)
    columns = [*fixed, response(rows, best)]
    fit = fit_at(columns, y, noise_memory)
    noise_memory = noise_memory_of(columns, y, fit)
    fit = fit_at(columns, y, noise_memory)
    effect = fit.coefficients[-1]
    slope = [(b - a) * effect / 0.01 for a, b in zip(response(rows, best), response(rows, best + 0.01), strict=True)]
    try:
        fit = fit_at([*columns, slope], y, noise_memory)
        error = fit.error([0.0, 0.0, 0.0, 1.0, 0.0])
    except ZeroDivisionError:
        error = fit.error([0.0, 0.0, 0.0, 1.0])
    return interval(effect, error, fit.freedom)
