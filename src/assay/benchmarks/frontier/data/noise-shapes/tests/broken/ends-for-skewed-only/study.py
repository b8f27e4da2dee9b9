"""Analyses each study alone: without a shape for evenly spread errors."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache

import numpy as np
from linear import t_quantile

MARGIN = 0.5
DRAWS = 4000
SLACK = 1.04
"""Factor for the robust fit, whose standard error is only asymptotically right."""

Found = tuple[float, float, float]
Shape = Callable[[np.ndarray, np.ndarray], tuple[float, float, float]]


def analyse(rows: list[dict[str, str]]) -> Found | None:
    old, new = (np.array([float(row["value"]) for row in rows if row["arm"] == arm]) for arm in ("a", "b"))
    shapes: tuple[Shape, ...] = (bell, heavy, skewed, skewed_down)
    _, estimate, half = max(shape(old, new) for shape in shapes)
    return estimate, estimate - half, estimate + half


def bell(old: np.ndarray, new: np.ndarray) -> tuple[float, float, float]:
    """Log-likelihood, estimate and half width for normal errors."""
    count = len(old) + len(new)
    squares = float(((old - old.mean()) ** 2).sum() + ((new - new.mean()) ** 2).sum())
    error = math.sqrt(squares / (count - 2) * (1 / len(old) + 1 / len(new)))
    log = -0.5 * count * (math.log(2 * math.pi * squares / count) + 1)
    return log, float(new.mean() - old.mean()), t_quantile(count - 2) * error


def heavy(old: np.ndarray, new: np.ndarray) -> tuple[float, float, float]:
    """The same for Student's t with two degrees of freedom, by reweighted means."""
    centres, scale = [float(np.median(old)), float(np.median(new))], 1.0
    scale = float(np.median(np.abs(np.concatenate([old - centres[0], new - centres[1]]))))
    for _ in range(60):
        rests = np.concatenate([old - centres[0], new - centres[1]])
        weights = 3 / (2 + (rests / scale) ** 2)
        first, second = weights[: len(old)], weights[len(old) :]
        centres = [float(first @ old / first.sum()), float(second @ new / second.sum())]
        scale = math.sqrt(float((weights * rests**2).mean()))
    rests = np.concatenate([old - centres[0], new - centres[1]]) / scale
    log = float((-1.5 * np.log(1 + rests**2 / 2)).sum()) - len(rests) * math.log(scale * 2 * math.sqrt(2))
    error = scale * math.sqrt(5 / 3 * (1 / len(old) + 1 / len(new)))
    return log, centres[1] - centres[0], SLACK * t_quantile(len(rests) - 3) * error


def flat(old: np.ndarray, new: np.ndarray) -> tuple[float, float, float]:
    """The same for evenly spread errors: middles of the ranges."""
    width = max(float(np.ptp(old)), float(np.ptp(new)))
    log = -(len(old) + len(new)) * math.log(width)
    return log, middle(new) - middle(old), flat_quantile(len(old), len(new)) * width


def middle(values: np.ndarray) -> float:
    return float(values.max() + values.min()) / 2


@cache
def flat_quantile(first: int, second: int) -> float:
    """The 95% quantile of the distance of the middles, in widths, by simulation."""
    source = np.random.default_rng(first * 1000 + second)
    old, new = source.random((DRAWS, first)), source.random((DRAWS, second))
    width = np.maximum(np.ptp(old, axis=1), np.ptp(new, axis=1))
    distance = (new.max(axis=1) + new.min(axis=1) - old.max(axis=1) - old.min(axis=1)) / 2
    return float(np.quantile(np.abs(distance) / width, 0.95))


def skewed(old: np.ndarray, new: np.ndarray) -> tuple[float, float, float]:
    """The same for exponential errors: lower ends of the samples."""
    count = len(old) + len(new)
    scale = float((old - old.min()).sum() + (new - new.min()).sum()) / count
    log = -count * (math.log(scale) + 1)
    return log, float(new.min() - old.min()), skewed_quantile(len(old), len(new)) * scale


def skewed_down(old: np.ndarray, new: np.ndarray) -> tuple[float, float, float]:
    log, estimate, half = skewed(-old, -new)
    return log, -estimate, half


@cache
def skewed_quantile(first: int, second: int) -> float:
    """The 95% quantile of the distance of the lower ends, in scales, by simulation."""
    source = np.random.default_rng(first * 1000 + second + 7)
    old, new = source.exponential(size=(DRAWS, first)), source.exponential(size=(DRAWS, second))
    lows = old.min(axis=1), new.min(axis=1)
    scale = (old.sum(axis=1) + new.sum(axis=1) - first * lows[0] - second * lows[1]) / (first + second)
    return float(np.quantile(np.abs(lows[1] - lows[0]) / scale, 0.95))
