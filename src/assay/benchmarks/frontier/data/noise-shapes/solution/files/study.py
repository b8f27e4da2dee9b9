"""All instruments together: the likelihood of the shift over all shapes of errors, and a law of the shifts.

Location and scale of the errors are integrated out for each shape. How heavy the tails of the heavy shape
are, and how large shifts are, is learnt from all instruments.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import lgamma, log, pi

import numpy as np

MARGIN = 0.5
STEP = 0.01
SHIFTS = np.arange(-2500, 2501) * STEP
COARSE = np.linspace(-25.0, 25.0, 126)
"""Shifts at which the heavy shape is computed; it is interpolated between them."""
FREEDOMS = np.array([1.2, 1.5, 1.75, 2.0, 2.25, 2.5, 3.0, 4.0, 6.0])
FREEDOM_BELIEF = np.array([0.03, 0.1, 0.12, 0.35, 0.1, 0.1, 0.15, 0.04, 0.01])
LEAST_SHARE = 0.05
"""Degrees of freedom with a smaller share are left out."""
ROUNDS = 60
PARTS = np.arange(0.2, 16.0, 0.4)
"""Sizes of the shift in the middle of the parts of its law."""
STEPS = 400
BELIEF = 8
"""How many instruments the first belief on the law of the shifts counts for."""

Rows = list[dict[str, str]]
Found = tuple[float, float, float]


@dataclass(frozen=True)
class Reading:
    """The values of one file, and how well the shapes fit them: flat, skewed up, skewed down, and bell."""

    first: np.ndarray
    second: np.ndarray
    logs: list[np.ndarray]
    evidence: np.ndarray
    tails: np.ndarray
    gain: float

    @property
    def is_heavy(self) -> bool:
        """Whether its tails are so heavy that it is a clear example of the heavy shape."""
        bell, sharp = self.evidence[3], self.evidence[:3].max()
        return self.gain > 4 and bool(bell > sharp or bell + self.gain > sharp + 3)


def flat(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """The logarithm of the likelihood of each shift for evenly spread errors."""
    count = len(first) + len(second)
    top = np.maximum(first.max(), second.max() - SHIFTS)
    width = top - np.minimum(first.min(), second.min() - SHIFTS)
    return -(count - 1) * np.log(np.maximum(width, 1e-9)) - log(count * (count - 1))


def skewed(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """The same for exponential errors that point up or down, each with one half."""
    count = len(first) + len(second)
    least = np.minimum(first.min(), second.min() - SHIFTS)
    above = first.sum() + second.sum() - len(second) * SHIFTS - count * least
    return -(count - 1) * np.log(np.maximum(above, 1e-9)) + lgamma(count - 1) - log(count) - log(2)


def squares_within(first: np.ndarray, second: np.ndarray) -> float:
    return float(((first - first.mean()) ** 2).sum() + ((second - second.mean()) ** 2).sum())


def bell(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """The same for normal errors."""
    count = len(first) + len(second)
    between = len(first) * len(second) / count * (second.mean() - first.mean() - SHIFTS) ** 2
    half = (count - 1) / 2
    constant = lgamma(half) - half * log(2 * pi) - 0.5 * log(count) - log(2)
    return constant - half * np.log((squares_within(first, second) + between) / 2)


def density(freedom: np.ndarray | float, count: int) -> np.ndarray:
    """The logarithm of the constant in the density of Student's t, for a number of values."""
    many = np.atleast_1d(freedom)
    return count * np.array([lgamma((one + 1) / 2) - lgamma(one / 2) - 0.5 * log(one * pi) for one in many])


def best_tails(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """The largest log-likelihood of Student's t, for each of the degrees of freedom, by weighted means."""
    freedom, cut = FREEDOMS[:, None], len(first)
    values = np.concatenate([first, second])
    middles = np.repeat([np.median(first), np.median(second)], [cut, len(second)])
    rests = np.tile(values - middles, (len(FREEDOMS), 1))
    scale = np.full((len(FREEDOMS), 1), 1.2 * np.median(np.abs(rests)))
    for _ in range(ROUNDS):
        weights = (freedom + 1) / (freedom + (rests / scale) ** 2)
        for part in (slice(0, cut), slice(cut, None)):
            middle = weights[:, part] @ values[part] / weights[:, part].sum(axis=1)
            rests[:, part] = values[part] - middle[:, None]
        scale = np.sqrt((weights * rests**2).mean(axis=1, keepdims=True))
    logs = np.log1p((rests / scale) ** 2 / freedom).sum(axis=1)
    return density(FREEDOMS, len(values)) - len(values) * np.log(scale[:, 0]) - (FREEDOMS + 1) / 2 * logs


def total(logs: np.ndarray) -> float:
    """The logarithm of the integral over the shifts."""
    peak = float(logs.max())
    return peak + log(float(np.exp(logs - peak).sum()) * STEP)


def read_values(rows: Rows) -> Reading:
    first, second = (np.array([float(row["value"]) for row in rows if row["arm"] == name]) for name in "ab")
    logs = [flat(first, second), skewed(first, second), skewed(-first, -second)[::-1], bell(first, second)]
    count, tails = len(first) + len(second), best_tails(first, second)
    normal = -count / 2 * (log(2 * pi * squares_within(first, second) / count) + 1)
    evidence = np.array([total(one) for one in logs])
    return Reading(first, second, logs, evidence, tails, float(tails.max()) - normal)


def learn_freedoms(readings: list[Reading]) -> dict[float, float]:
    """The degrees of freedom of the heavy shape with their shares, from the clear examples."""
    logs = np.log(FREEDOM_BELIEF) + sum(one.tails for one in readings if one.is_heavy)
    shares = np.exp(logs - logs.max())
    shares /= shares.sum()
    kept = shares > LEAST_SHARE
    return dict(zip(FREEDOMS[kept].tolist(), (shares[kept] / shares[kept].sum()).tolist(), strict=True))


def heavy(first: np.ndarray, second: np.ndarray, freedom: float) -> np.ndarray:
    """The same as for the other shapes for Student's t on the coarse grid, by Laplace's method."""
    moved = second - COARSE[:, None]
    values = np.concatenate([np.tile(first, (len(COARSE), 1)), moved], axis=1)
    middle = np.median(values, axis=1, keepdims=True)
    scale = 1.2 * np.median(np.abs(values - middle), axis=1, keepdims=True)
    for _ in range(ROUNDS):
        weights = (freedom + 1) / (freedom + ((values - middle) / scale) ** 2)
        centre = (weights * values).sum(axis=1, keepdims=True) / weights.sum(axis=1, keepdims=True)
        size = np.sqrt((weights * (values - centre) ** 2).mean(axis=1, keepdims=True))
        change = max(
            float(np.abs((centre - middle) / scale).max()), float(np.abs(np.log(size / scale)).max())
        )
        middle, scale = centre, size
        if change < 1e-4:
            break
    return laplace((values - middle) / scale, scale[:, 0], freedom)


def laplace(rests: np.ndarray, scale: np.ndarray, freedom: float) -> np.ndarray:
    """The logarithm of the likelihood, integrated over the middle and the logarithm of the scale."""
    count = rests.shape[1]
    swell, factor = 1 + rests**2 / freedom, (freedom + 1) / freedom
    peak = density(freedom, count) - count * np.log(scale) - (freedom + 1) / 2 * np.log(swell).sum(axis=1)
    middle = (factor * (1 - rests**2 / freedom) / swell**2).sum(axis=1) / scale**2
    spread = (factor * 2 * rests**2 / swell**2).sum(axis=1)
    both = (factor * 2 * rests / swell**2).sum(axis=1) / scale
    return peak + log(2 * pi) - 0.5 * np.log(np.maximum(middle * spread - both**2, 1e-12))


def interpolated(logs: np.ndarray) -> np.ndarray:
    """Cubic interpolation from the coarse grid to all shifts."""
    gap = float(COARSE[1] - COARSE[0])
    slope = np.gradient(logs, gap)
    cell = np.clip(((SHIFTS - COARSE[0]) / gap).astype(int), 0, len(COARSE) - 2)
    t = (SHIFTS - COARSE[cell]) / gap
    left = (2 * t**3 - 3 * t**2 + 1) * logs[cell] + (t**3 - 2 * t**2 + t) * gap * slope[cell]
    return left + (3 * t**2 - 2 * t**3) * logs[cell + 1] + (t**3 - t**2) * gap * slope[cell + 1]


def shift_likelihood(one: Reading, freedoms: dict[float, float]) -> np.ndarray:
    """How well each shift fits an instrument, over all shapes."""
    logs = list(one.logs)
    if one.gain > -3 and one.evidence[3] + one.gain > one.evidence.max() - 25:
        for freedom, share in freedoms.items():
            logs.append(interpolated(heavy(one.first, one.second, freedom)) + log(share))
    together = np.logaddexp.reduce(logs)
    likelihood = np.exp(together - together.max())
    return likelihood / likelihood.sum()


def smoothed(values: np.ndarray) -> np.ndarray:
    """Neighbours averaged, with the same sum."""
    padded = np.pad(values, 1, mode="edge")
    means = padded[:-2] / 4 + padded[1:-1] / 2 + padded[2:] / 4
    return means * values.sum() / max(float(means.sum()), 1e-300)


def learn_shifts(likelihoods: np.ndarray) -> np.ndarray:
    """The law of the shifts: a mixture of bells, alike for both signs."""
    bells = [np.exp(-0.5 * (SHIFTS / spread) ** 2) for spread in (0.03, 0.25)]
    bells += [np.exp(-0.5 * ((np.abs(SHIFTS) - size) / 0.3) ** 2) for size in PARTS]
    parts = np.array([values / values.sum() for values in bells])
    large = np.exp(-0.5 * (PARTS / 4) ** 2)
    belief = np.concatenate([[0.06, 0.04], 0.9 * large / large.sum()])
    fits, shares = likelihoods @ parts.T, belief
    for _ in range(STEPS):
        joint = fits * shares
        seen = (joint / joint.sum(axis=1, keepdims=True)).sum(axis=0)
        seen = np.concatenate([seen[:2], smoothed(smoothed(seen[2:]))]) + BELIEF * belief
        shares = seen / seen.sum()
    return shares @ parts


def interval(weights: np.ndarray) -> Found:
    """Mean and 95% interval of the shift, from weights on its grid."""
    shares = weights / weights.sum()
    low, high = np.interp((0.025, 0.975), np.cumsum(shares), SHIFTS + STEP / 2)
    return float(np.clip(shares @ SHIFTS, low, high)), float(low), float(high)


def analyse_all(studies: dict[str, Rows]) -> dict[str, Found]:
    readings = [read_values(rows) for rows in studies.values()]
    freedoms = learn_freedoms(readings)
    likelihoods = np.array([shift_likelihood(one, freedoms) for one in readings])
    law = learn_shifts(likelihoods)
    return {name: interval(likelihood * law) for name, likelihood in zip(studies, likelihoods, strict=True)}
