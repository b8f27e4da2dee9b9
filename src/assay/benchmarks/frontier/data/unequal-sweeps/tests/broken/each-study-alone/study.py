"""Analyses each study alone: fits the curve of the scores over the rates and computes the best of four."""

from __future__ import annotations

import numpy as np

MARGIN = 2.0
TRIALS = 4
DRAWS = 300
CELLS = 192
FIRST = [np.linspace(-3.0, 0.0, 25), np.geomspace(0.8, 25.0, 16), np.linspace(6.0, 36.0, 7)]
"""Best rate (logarithm), curvature and depth of the curves that are tried first."""

Found = tuple[float, float, float]
Curves = list[np.ndarray]


def weigh(grid: Curves, place: np.ndarray, middle: np.ndarray, apart: float) -> Curves:
    """Weight, peak and sum of squares of each curve, with peak and noise integrated out of the weight."""
    best, bend, depth = (axis[:, None] for axis in grid)
    level = middle + np.minimum(bend * (place - best) ** 2, depth)
    peak = level.mean(axis=1)
    squares = 2 * (level**2).sum(axis=1) - 2 * len(place) * peak**2 + apart
    logs = -(len(place) - 0.5) * np.log(squares)
    weights = np.exp(logs - logs.max())
    return [weights / weights.sum(), peak, squares]


def closer(axis: np.ndarray, values: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """A narrower axis about the values that have weight."""
    middle = float(weights @ values)
    place = min(int(np.searchsorted(axis, middle)), len(axis) - 1)
    gap = float(axis[max(place, 1)] - axis[max(place, 1) - 1])
    reach = 3.5 * max(float(weights @ (values - middle) ** 2) ** 0.5, 0.45 * gap)
    count = 9 if len(axis) == 7 else 15
    return np.linspace(max(middle - reach, axis[0]), min(middle + reach, axis[-1]), count)


def expected_scores(rows: list[dict[str, str]], method: str, source: np.random.Generator) -> np.ndarray:
    """Draws of the expected test score of the best of four."""
    own = [row for row in rows if row["method"] == method]
    place = np.log10([float(row["rate"]) for row in own])
    valid, test = (np.array([float(row[name]) for row in own]) for name in ("valid", "test"))
    centre = float(valid.mean())
    middle, apart = (valid + test) / 2 - centre, float(((valid - test) ** 2).sum() / 2)
    axes = FIRST
    for step in range(3):
        grid = [axis.ravel() for axis in np.meshgrid(*axes, indexing="ij")]
        weights, peak, squares = weigh(grid, place, middle, apart)
        if step < 2:
            axes = [closer(axis, values, weights) for axis, values in zip(axes, grid, strict=True)]
    picked = np.searchsorted(np.cumsum(weights), (np.arange(DRAWS) + 0.5) / DRAWS).clip(0, len(weights) - 1)
    noise = np.sqrt(squares[picked] / source.chisquare(2 * len(place) - 1, DRAWS))
    level = peak[picked] + source.normal(size=DRAWS) * noise / np.sqrt(2 * len(place))
    return centre + level - best_of_four([axis[picked] for axis in grid], noise)


def best_of_four(curve: Curves, noise: np.ndarray) -> np.ndarray:
    """What the trial with the highest validation score is expected to lose to the peak."""
    best, bend, depth = (axis[:, None] for axis in curve)
    spread = noise[:, None]
    step = (depth + 9 * spread) / CELLS
    edges = step * np.arange(CELLS + 1) - 4.5 * spread
    reach = np.sqrt(np.maximum(edges, 0) / bend)
    inside = (np.minimum(best + reach, 0.0) - np.maximum(best - reach, -3.0)) / 3
    mass = np.diff(np.where(edges > 0, np.where(edges >= depth, 1.0, inside), 0.0), axis=1)
    losses = np.clip((edges[:, :-1] + edges[:, 1:]) / 2, 0, depth)
    lag = np.minimum(np.arange(2 * CELLS), 2 * CELLS - np.arange(2 * CELLS))
    kernel = np.exp(-0.5 * (lag * step / spread) ** 2)
    blur = np.fft.rfft(kernel / kernel.sum(axis=1, keepdims=True), axis=1)
    density, weighed = (
        np.fft.irfft(np.fft.rfft(values, 2 * CELLS, axis=1) * blur, 2 * CELLS, axis=1)[:, :CELLS]
        for values in (mass, mass * losses)
    )
    worse = (1 - np.cumsum(density, axis=1)).clip(0)
    chosen = -np.diff(np.concatenate([np.ones((len(noise), 1)), worse], axis=1) ** TRIALS, axis=1)
    result: np.ndarray = (weighed / np.maximum(density, 1e-12) * chosen).sum(axis=1)
    return result


def analyse(rows: list[dict[str, str]]) -> Found | None:
    source = np.random.default_rng(1)
    anchor, probe = (expected_scores(rows, method, source) for method in ("anchor", "probe"))
    effects = (probe[:, None] - anchor).ravel()
    low, high = np.quantile(effects, (0.025, 0.975))
    return float(effects.mean()), float(low), float(high)
