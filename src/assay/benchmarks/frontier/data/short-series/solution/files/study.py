"""One series: the posterior of the step, averaged over the dependence and the size of the errors.

For one dependence and one size of the shocks everything is normal; their weights follow from the marginal likelihood.
"""

from __future__ import annotations

import math

import numpy as np

MARGIN = 2.0
MEMORIES = ((0.0, 0.05), (0.3, 0.45), (0.6, 0.7), (0.8, 0.88))
"""Ranges of the coefficient of the errors, each for a quarter of the offices."""
SHOCKS = np.linspace(1, 3, 33)[1::2]
CENTRE = np.array([0.0, 50.0, 0.0, 0.0])
PRECISION = np.diag(1 / np.array([8.0, 6.0, 0.2, 0.2]) ** 2)
"""Of the step, the level in the first week, the slope and its change, as they are spread over the offices."""
NODES = 4
POINTS = np.linspace(-6, 6, 601)

Found = tuple[float, float, float]


def analyse(rows: list[dict[str, str]]) -> Found | None:
    y = np.array([float(row["value"]) for row in rows])
    weeks = np.arange(len(y), dtype=float)
    new = np.array([float(row["rule"] == "new") for row in rows])
    since = np.maximum(weeks - float(np.argmax(new)), 0.0)
    x = np.column_stack([new, np.ones(len(y)), weeks, since])
    parts = [posterior(x, y - x @ CENTRE, memory) for group in MEMORIES for memory in nodes(*group)]
    logs, centres, errors = (np.concatenate(column) for column in zip(*parts, strict=True))
    weights = np.exp(logs - logs.max())
    return mixture(centres, errors, weights / weights.sum())


def nodes(low: float, high: float) -> list[float]:
    """Points that stand for a range."""
    edges = np.linspace(low, high, NODES + 1)
    return [float(point) for point in (edges[1:] + edges[:-1]) / 2]


def posterior(x: np.ndarray, y: np.ndarray, memory: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Marginal log-likelihood, mean and standard deviation of the step, for one memory and each size of the shocks."""
    first = math.sqrt(1 - memory**2)
    moved_x = np.vstack([first * x[:1], x[1:] - memory * x[:-1]])
    moved_y = np.concatenate([first * y[:1], y[1:] - memory * y[:-1]])
    scale = SHOCKS[:, None, None] ** -2.0
    precision = moved_x.T @ moved_x * scale + PRECISION
    covariance = np.linalg.inv(precision)
    moments = (moved_x.T @ moved_y) * scale[:, 0]
    solved = (covariance @ moments[:, :, None])[:, :, 0]
    logs = math.log(first) - len(y) * np.log(SHOCKS) - 0.5 * np.linalg.slogdet(precision)[1]
    logs += 0.5 * (moments * solved).sum(axis=1) - 0.5 * float(moved_y @ moved_y) * scale[:, 0, 0]
    return logs, solved[:, 0], np.sqrt(covariance[:, 0, 0])


def mixture(centres: np.ndarray, errors: np.ndarray, weights: np.ndarray) -> Found:
    """Median and 95% interval of a mixture of normal distributions."""
    middle = float(weights @ centres)
    spread = math.sqrt(float(weights @ (errors**2 + (centres - middle) ** 2)))
    kept = weights > 1e-7 * weights.max()
    points = middle + spread * POINTS
    scaled = (points[:, None] - centres[kept]) / errors[kept]
    density = np.exp(-(scaled**2) / 2) @ (weights[kept] / errors[kept])
    chances = (np.cumsum(density) - density / 2) / density.sum()
    low, median, high = (float(np.interp(level, chances, points)) for level in (0.025, 0.5, 0.975))
    return median, low, high
