"""Fits the curve of the scores over the rates, and computes the best of four by validation from the curve.

The score falls from the best rate as a parabola down to a floor. All curves near the best one of a sweep are
kept with their likelihood. The law of best rate, curvature, depth, noise and peak is found from all sweeps of
the folder by expectation-maximisation, and gives each curve its posterior weight.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

MARGIN = 2.0
TRIALS = 4
DRAWS = 300
CELLS = 144
FIRST = [np.linspace(-3.0, 0.0, 25), np.geomspace(0.8, 25.0, 16), np.linspace(6.0, 36.0, 7)]
"""Best rate (logarithm), curvature and depth of the curves that are tried first."""
EDGES = [
    np.linspace(-3.0, 0.0, 16),
    np.linspace(np.log(0.8), np.log(25.0), 18),
    np.linspace(6.0, 36.0, 13),
    np.linspace(np.log(0.2), np.log(8.0), 18),
]
"""Borders of the bins of best rate, curvature (logarithm), depth and noise (logarithm)."""
BELIEF = 6.0
"""How many sweeps an even share of all bins counts for."""
FIRST_SPREAD = 2.0
"""A belief on the standard deviation of the peaks."""
STEPS = 25
FAINT = 1e-5
"""Curves whose likelihood is lower than this share of the best one are left out."""

LATTICE = (0.7548776662, 0.5698402910)
"""Steps of an even lattice, in place of chance, for noise and peak."""
Z = np.linspace(-6.0, 6.0, 2401)
NORMAL = np.array([NormalDist().cdf(float(z)) for z in Z])
METHODS = ("anchor", "probe")

Rows = list[dict[str, str]]
Found = tuple[float, float, float]
Curves = list[np.ndarray]


@dataclass
class Sweep:
    """The likely curves of one sweep: their likelihood, with the peak and the sum of squares of each."""

    curve: Curves
    likelihood: np.ndarray
    peak: np.ndarray
    squares: np.ndarray
    scores: int


@dataclass
class Law:
    """Shares of the bins of four numbers, and mean and standard deviation of the peak."""

    shares: list[np.ndarray]
    peak: float
    spread: float


class Curved:
    """The likely curves of all sweeps one after another, and the bins that they lie in."""

    def __init__(self, sweeps: list[Sweep]) -> None:
        sizes = [len(sweep.peak) for sweep in sweeps]
        self.sweep = np.repeat(np.arange(len(sweeps)), sizes)
        self.borders = np.cumsum(sizes)[:-1]
        self.count = len(sweeps)
        best, bend, depth = np.concatenate([sweep.curve for sweep in sweeps], axis=1)
        self.peak = np.concatenate([sweep.peak for sweep in sweeps])
        scores = np.repeat([sweep.scores for sweep in sweeps], sizes)
        noise = np.concatenate([sweep.squares for sweep in sweeps]) / (scores - 1)
        self.error = noise / scores
        """The variance of the peak if curve and noise are known."""
        values = (best, np.log(bend), depth, np.log(noise) / 2)
        self.bins = [np.searchsorted(edges[1:-1], value) for edges, value in zip(EDGES, values, strict=True)]
        self.likelihood = np.concatenate([sweep.likelihood for sweep in sweeps]) / bend

    def weights(self, law: Law) -> np.ndarray:
        """The posterior weights; curves lie evenly in the curvature, bins in its logarithm."""
        variance = law.spread**2 + self.error
        weights = self.likelihood * np.exp(-0.5 * (self.peak - law.peak) ** 2 / variance) / np.sqrt(variance)
        for shares, places in zip(law.shares, self.bins, strict=True):
            weights = weights * shares[places]
        return weights / np.bincount(self.sweep, weights, self.count)[self.sweep]


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
    count = 9 if len(axis) in (7, 9) else 13
    return np.linspace(max(middle - reach, axis[0]), min(middle + reach, axis[-1]), count)


def sweep_of(rows: Rows, method: str) -> Sweep:
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
    kept = weights > FAINT * weights.max()
    curve = [axis[kept] for axis in grid]
    return Sweep(curve, weights[kept], centre + peak[kept], squares[kept], 2 * len(place))


def learn(curved: Curved) -> Law:
    """The law of all sweeps, by expectation-maximisation."""
    even = [np.full(len(edges) - 1, 1 / (len(edges) - 1)) for edges in EDGES]
    law, count = Law(even, float(np.median(curved.peak)), 2 * FIRST_SPREAD), curved.count + BELIEF
    for _ in range(STEPS):
        weights = curved.weights(law)
        shares = [
            (np.bincount(places, weights, len(first)) + BELIEF * first) / count
            for places, first in zip(curved.bins, even, strict=True)
        ]
        variance = 1 / (1 / law.spread**2 + 1 / curved.error)
        middle = variance * (law.peak / law.spread**2 + curved.peak / curved.error)
        peak = float(weights @ middle / curved.count)
        squares = float(weights @ ((middle - peak) ** 2 + variance))
        law = Law(shares, peak, float(np.sqrt((squares + BELIEF * FIRST_SPREAD**2) / count)))
    return law


def expected_scores(sweep: Sweep, weights: np.ndarray, law: Law) -> np.ndarray:
    """Equally likely values of the expected test score of the best of four."""
    steps = np.arange(DRAWS) + 0.5
    picked = np.searchsorted(np.cumsum(weights), steps / DRAWS).clip(0, len(weights) - 1)
    first, second = (np.interp(steps * factor % 1, NORMAL, Z) for factor in LATTICE)
    part = 2 / (9 * (sweep.scores - 1))
    noise = np.sqrt(sweep.squares[picked] / (sweep.scores - 1) / (1 - part + first * part**0.5) ** 3)
    precision = sweep.scores / noise**2
    variance = 1 / (1 / law.spread**2 + precision)
    peak = variance * (law.peak / law.spread**2 + precision * sweep.peak[picked])
    peak = peak + second * np.sqrt(variance)
    return peak - best_of_four([axis[picked] for axis in sweep.curve], noise)


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


def interval(anchor: np.ndarray, probe: np.ndarray) -> Found:
    """Mean and interval of the difference by its moments, which are steadier than the outermost draws."""
    middle = float(probe.mean() - anchor.mean())
    error = float(np.sqrt(probe.var() + anchor.var()))
    third = ((probe - probe.mean()) ** 3).mean() - ((anchor - anchor.mean()) ** 3).mean()
    z = NormalDist().inv_cdf(0.975)
    shift = float(np.clip(third / error**3, -1.2, 1.2)) * (z**2 - 1) / 6
    return middle, middle + error * (shift - z), middle + error * (shift + z)


def analyse_all(studies: dict[str, Rows]) -> dict[str, Found]:
    """The posterior of the difference of both methods, under the law learnt from all sweeps."""
    sweeps = [sweep_of(rows, method) for rows in studies.values() for method in METHODS]
    curved = Curved(sweeps)
    law = learn(curved)
    weights = np.split(curved.weights(law), curved.borders)
    scores = [expected_scores(sweep, own, law) for sweep, own in zip(sweeps, weights, strict=True)]
    found = {}
    for name, anchor, probe in zip(studies, scores[::2], scores[1::2], strict=True):
        found[name] = interval(anchor, probe)
    return found
