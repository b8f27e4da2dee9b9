"""Analyses each study alone: ability plus noise, less noise in larger sites, with spread and noise integrated out."""

from __future__ import annotations

from statistics import NormalDist

import numpy as np

MARGIN = 5.0
DRAWS = 2000
SPREADS = np.geomspace(2.0, 25.0, 24)
NOISES = np.geomspace(6.0, 80.0, 32)

Found = tuple[float, float, float]


def columns_of(rows: list[dict[str, str]]) -> tuple[np.ndarray, np.ndarray]:
    """Sums and differences of the two marks, and what moves them: level, drift, coaching, marks by coaches."""
    first, second = (np.array([float(row[name]) for row in rows]) for name in ("first", "second"))
    coached = np.array([float(row["coached"] == "yes") for row in rows])
    coach = np.array([float(row["marker"] == "coach") for row in rows])
    ones = np.ones(len(rows))
    x = np.stack([np.stack([2 * ones, ones, coached, coach]), np.stack([0 * ones, ones, coached, coach])])
    return x, np.stack([first + second, second - first])


def posterior_parts(rows: list[dict[str, str]]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """For each pair of spread and noise: its log weight, and mean and error of the effect."""
    x, y = columns_of(rows)
    size = np.array([float(row["size"]) for row in rows])
    spread, noise = (grid.ravel()[:, None] for grid in np.meshgrid(SPREADS, NOISES))
    own = 2 * noise**2 / size
    precision = np.stack([1 / (4 * spread**2 + own), 1 / own])
    products = (x[:, :, None] * x[:, None]).reshape(2, 16, -1)
    moments = (precision @ products.swapaxes(1, 2)).sum(axis=0).reshape(-1, 4, 4)
    right = (precision @ (x * y[:, None]).swapaxes(1, 2)).sum(axis=0)
    inverse = np.linalg.inv(moments)
    found = np.einsum("gij,gj->gi", inverse, right)
    squares = (precision @ y[:, :, None] ** 2).sum(axis=(0, 2)) - np.einsum("gi,gi->g", found, right)
    logs = 0.5 * (np.log(precision).sum(axis=(0, 2)) - np.linalg.slogdet(moments)[1] - squares)
    return logs, found[:, 2], np.sqrt(inverse[:, 2, 2])


def analyse(rows: list[dict[str, str]]) -> Found | None:
    logs, means, errors = posterior_parts(rows)
    shares = np.cumsum(np.exp(logs - logs.max()))
    steps = (np.arange(DRAWS) + 0.5) / DRAWS
    places = np.searchsorted(shares / shares[-1], steps)
    normal = NormalDist()
    scores = np.random.default_rng(1).permutation([normal.inv_cdf(step) for step in steps])
    draws = means[places] + errors[places] * scores
    low, high = np.quantile(draws, (0.025, 0.975))
    return float(draws.mean()), float(low), float(high)
