"""Analyses each study alone: a response that follows the policy slowly, at the speed that fits best."""

from __future__ import annotations

import math

from linear import Fit, interval

MARGIN = 0.8

Found = tuple[float, float, float]


def hours(row: dict[str, str]) -> list[float]:
    """The daily cycle as two waves of one day and two of half a day."""
    angle = 2 * math.pi * int(row["hour"]) / 24
    return [math.sin(angle), math.cos(angle), math.sin(2 * angle), math.cos(2 * angle)]


def response(rows: list[dict[str, str]], memory: float) -> list[float]:
    followed = float(rows[0]["policy"] == "tuned")
    values = []
    for row in rows:
        followed = memory * followed + (1 - memory) * (row["policy"] == "tuned")
        values.append(followed)
    return values


def analyse(rows: list[dict[str, str]]) -> Found | None:
    y = [float(row["load"]) for row in rows]
    turns = [row["turn"] for row in rows]
    best = None
    for memory in (0.6, 0.72, 0.77, 0.82, 0.88):
        followed = response(rows, memory)
        fit = Fit([[1.0, value, *hours(row)[:2]] for value, row in zip(followed, rows, strict=True)], y)
        loss = sum(residual**2 for residual in fit.residuals)
        if best is None or loss < best[0]:
            best = (loss, fit)
    assert best is not None
    fit = best[1]
    error = fit.clustered_error([0.0, 1.0, 0.0, 0.0], turns)
    return interval(fit.coefficients[1], 1.1 * error, len(set(turns)) - 3)
