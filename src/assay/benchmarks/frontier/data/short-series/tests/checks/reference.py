"""One series: generalised least squares, averaged over the memory of the errors by its restricted likelihood."""

from __future__ import annotations

import math

import numpy as np

MARGIN = 2.0
MEMORIES = np.linspace(0.0, 0.9, 31)
PRIOR = 1 / np.sqrt(1 - MEMORIES)
NODES = np.linspace(-12, 12, 1201)

Found = tuple[float, float, float]


def analyse(rows: list[dict[str, str]]) -> Found | None:
    y = np.array([float(row["value"]) for row in rows])
    weeks = np.arange(len(y), dtype=float)
    new = np.array([float(row["rule"] == "new") for row in rows])
    since = np.maximum(weeks - float(np.argmax(new)), 0.0)
    x = np.column_stack([new, np.ones(len(y)), weeks - weeks.mean(), since])
    freedom = len(y) - x.shape[1]
    logs, centres, errors = [], [], []
    for memory in MEMORIES:
        log, centre, error = restricted(x, y, float(memory), freedom)
        logs.append(log)
        centres.append(centre)
        errors.append(error)
    weights = np.exp(np.array(logs) - max(logs)) * PRIOR
    return mixture(np.array(centres), np.array(errors), weights / weights.sum(), freedom)


def restricted(x: np.ndarray, y: np.ndarray, memory: float, freedom: int) -> tuple[float, float, float]:
    """Restricted log-likelihood, estimate of the step and its standard error for one memory of the errors."""
    first = math.sqrt(1 - memory**2)
    moved_x = np.vstack([first * x[:1], x[1:] - memory * x[:-1]])
    moved_y = np.concatenate([first * y[:1], y[1:] - memory * y[:-1]])
    squares = moved_x.T @ moved_x
    bread = np.linalg.inv(squares)
    coefficients = bread @ (moved_x.T @ moved_y)
    rest = float(((moved_y - moved_x @ coefficients) ** 2).sum())
    log = math.log(first) - 0.5 * np.linalg.slogdet(squares)[1] - 0.5 * freedom * math.log(rest)
    return float(log), float(coefficients[0]), math.sqrt(rest / freedom * bread[0, 0])


def mixture(centres: np.ndarray, errors: np.ndarray, weights: np.ndarray, freedom: int) -> Found:
    """Middle and 95% interval of a mixture of Student's t distributions."""
    middle = float(weights @ centres)
    spread = math.sqrt(float(weights @ (errors**2 + (centres - middle) ** 2)))
    points = middle + spread * NODES
    scaled = (points[:, None] - centres) / errors
    density = ((1 + scaled**2 / freedom) ** (-(freedom + 1) / 2) / errors) @ weights
    total = np.cumsum(density) / density.sum()
    low, high = (float(np.interp(level, total, points)) for level in (0.025, 0.975))
    return min(max(middle, low), high), low, high
