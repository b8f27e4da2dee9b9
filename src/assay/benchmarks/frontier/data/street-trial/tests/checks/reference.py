"""One street: the posterior of the effect of treating all, averaged over what treatment may do and over the errors.

For one form of the effect on neighbours and one correlation of the errors everything is normal.
"""

from __future__ import annotations

import math

import numpy as np

MARGIN = 1.0
NOISE, LEVEL, DIRECT, SPILL = 2.0, 5.0, 4.0, 1.5
"""Standard deviations of the errors, and over the streets of the level, of the own effect and of that on neighbours."""
MEMORIES = np.linspace(0.2, 0.9, 29)[1::2]
FORMS = (
    ((1.0,), None),
    ((1.0,), (0.0, 1.0)),
    ((1.0,), (0.0, 0.7, 0.5, 0.3)),
    ((1.0, -0.25, -0.1), None),
)
"""What the own effect and the effect on neighbours do at a house and 1, 2, … doors away, for each group of streets."""
POINTS = np.linspace(-8, 8, 1601)

Found = tuple[float, float, float]


def analyse(rows: list[dict[str, str]]) -> Found | None:
    y = np.array([float(row["value"]) for row in rows]) - 50
    treated = np.array([float(row["treated"] == "yes") for row in rows])
    parts = []
    for own, spill in FORMS:
        shapes = [own] if spill is None else [own, spill]
        x = np.column_stack([np.ones(len(y)), *(reached(treated, shape) for shape in shapes)])
        direction = np.array([0.0, *(2 * sum(shape) - shape[0] for shape in shapes)])
        spreads = np.array([LEVEL, DIRECT, SPILL])[: x.shape[1]]
        parts += [posterior(x, y, direction, spreads, float(memory)) for memory in MEMORIES]
    logs, centres, errors = np.array(parts).T
    weights = np.exp(logs - logs.max())
    return mixture(centres, errors, weights / weights.sum())


def reached(treated: np.ndarray, shape: tuple[float, ...]) -> np.ndarray:
    """What arrives at each house from the treated houses of both sides."""
    total = shape[0] * treated
    for distance, share in enumerate(shape[1:], start=1):
        total[distance:] += share * treated[:-distance]
        total[:-distance] += share * treated[distance:]
    return total


def posterior(
    x: np.ndarray, y: np.ndarray, direction: np.ndarray, spreads: np.ndarray, memory: float
) -> tuple[float, float, float]:
    """Marginal log-likelihood, mean and standard deviation of the effect, for one correlation of neighbouring errors."""
    rest = NOISE * math.sqrt(1 - memory**2)
    moved_x = np.vstack([x[:1] / NOISE, (x[1:] - memory * x[:-1]) / rest])
    moved_y = np.concatenate([y[:1] / NOISE, (y[1:] - memory * y[:-1]) / rest])
    precision = moved_x.T @ moved_x + np.diag(spreads**-2.0)
    covariance = np.linalg.inv(precision)
    moments = moved_x.T @ moved_y
    solved = covariance @ moments
    log = -(len(y) - 1) * math.log(rest) - float(np.log(spreads).sum()) - 0.5 * float(np.linalg.slogdet(precision)[1])
    log += 0.5 * float(moments @ solved) - 0.5 * float(moved_y @ moved_y)
    return log, float(direction @ solved), math.sqrt(float(direction @ covariance @ direction))


def mixture(centres: np.ndarray, errors: np.ndarray, weights: np.ndarray) -> Found:
    """Median and 95% interval of a mixture of normal distributions."""
    kept = weights > 1e-7
    low, high = float((centres - 6 * errors)[kept].min()), float((centres + 6 * errors)[kept].max())
    points = (low + high) / 2 + (high - low) / 16 * POINTS
    scaled = (points[:, None] - centres[kept]) / errors[kept]
    density = np.exp(-(scaled**2) / 2) @ (weights[kept] / errors[kept])
    chances = (np.cumsum(density) - density / 2) / density.sum()
    bounds = (float(np.interp(level, chances, points)) for level in (0.025, 0.5, 0.975))
    first, median, last = bounds
    return median, first, last
