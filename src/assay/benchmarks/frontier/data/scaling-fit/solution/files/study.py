"""A constant plus a power of the size plus what missing steps cost, with a law learnt from all studies.

Given the power and the noise, constant, factor and cost are linear and have a normal law, so that their
posterior is exact; power and noise lie on grids. The goal is a vague measurement of the loss at the target
size. The laws are found from all studies by expectation-maximisation; the interval is the posterior one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

MARGIN = 0.24
POWERS = np.arange(0.16, 0.801, 0.0125)
NOISES = 0.07 * 1.2 ** np.arange(-2, 3)
ROUNDS = 7
POWER_ROUNDS = 6
BEND_MOVES = {2: 0.08, 4: 0.04}
"""After which rounds the bend of the cost is fitted, and how far to either side one looks."""
PRIOR_MEAN = np.array([7.0, 8.5, 1.0])
PRIOR_SPREAD = np.diag(np.array([1.2, 2.0, 0.4]) ** 2)
PRIOR_GAP = 0.45
PRIOR_BEND, BEND_ERROR = 0.92, 0.12
"""Weak beliefs before the first study is seen: constant, factor, cost; distance to the goal; bend."""
MEAN_WEIGHT, SPREAD_WEIGHT, GAP_WEIGHT = 3.0, 6.0, 6.0
POWER_WEIGHT, NOISE_WEIGHT = 6.0, 5.0
"""How many studies the beliefs count for."""
SMOOTHING = 0.012
"""How far the law of the powers is smoothed."""
TINY = 1e-12

Rows = list[dict[str, str]]
Found = tuple[float, float, float]


@dataclass
class Runs:
    """The runs of all studies, filled up to the same number with runs that do not count."""

    counts: np.ndarray
    scaled: np.ndarray
    """The sizes to minus each power: study, power, run."""
    missing: np.ndarray
    """The share of the planned steps that was not made."""
    losses: np.ndarray
    goal: np.ndarray
    reach: np.ndarray
    """The target size to minus each power."""


@dataclass
class Moments:
    """Sums over the runs of each study: of the three columns, of columns by losses, and of squared losses."""

    columns: np.ndarray
    crossed: np.ndarray
    squares: np.ndarray


@dataclass
class Law:
    """The laws of constant, factor and cost, of the loss around the goal, of powers and of noises."""

    mean: np.ndarray
    spread: np.ndarray
    gap: float
    powers: np.ndarray
    noises: np.ndarray
    bend: float
    """The cost is proportional to this power of the missing share."""


@dataclass
class Posterior:
    """For each study, power and noise: the chance, and means and covariances of constant, factor and cost."""

    chances: np.ndarray
    means: np.ndarray
    covariance: np.ndarray
    fit: float


def normalised(shares: np.ndarray) -> np.ndarray:
    return shares / shares.sum()


PRIOR_POWERS = normalised(np.exp(-0.5 * ((POWERS - 0.43) / 0.1) ** 2))
PRIOR_NOISES = normalised(np.exp(-0.5 * (np.log(NOISES / 0.07) / 0.15) ** 2))


def runs_of(studies: list[Rows]) -> Runs:
    counts = np.array([len(rows) for rows in studies])

    def column(name: str, filling: float) -> np.ndarray:
        cells = np.full((len(studies), counts.max()), filling)
        for place, rows in enumerate(studies):
            cells[place, : len(rows)] = [float(row[name]) for row in rows]
        return cells

    present = column("size", 0.0) > 0
    scaled = column("size", 1.0)[:, None] ** -POWERS[:, None] * present[:, None]
    missing = np.clip(1 - column("steps", 1.0) / column("planned", 1.0), 0.0, 1.0)
    goal, target = column("goal", 0.0)[:, 0], column("target", 0.0)[:, :1]
    return Runs(counts, scaled, missing, column("loss", 0.0), goal, target**-POWERS)


def moments_of(runs: Runs, bend: float) -> Moments:
    """Sums with the columns one, size to minus the power, and missing share to the bend."""
    cost = np.where(runs.missing > 0, np.maximum(runs.missing, TINY) ** bend, 0.0)
    present = np.arange(runs.losses.shape[1]) < runs.counts[:, None]
    three = (present[:, None], runs.scaled, cost[:, None])
    columns = np.stack([np.broadcast_to(column, runs.scaled.shape) for column in three], axis=2)
    crossed = (columns @ runs.losses[:, None, :, None])[..., 0]
    return Moments(columns @ columns.swapaxes(2, 3), crossed, (runs.losses**2).sum(axis=1))


def inverse(matrices: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The inverses and the determinants of symmetric matrices with three lines."""
    aa, ab, ac = (matrices[..., 0, place] for place in range(3))
    bb, bc, cc = matrices[..., 1, 1], matrices[..., 1, 2], matrices[..., 2, 2]
    found = np.empty_like(matrices)
    found[..., 0, 0] = bb * cc - bc * bc
    found[..., 1, 1] = aa * cc - ac * ac
    found[..., 2, 2] = aa * bb - ab * ab
    found[..., 0, 1] = found[..., 1, 0] = ac * bc - ab * cc
    found[..., 0, 2] = found[..., 2, 0] = ab * bc - ac * bb
    found[..., 1, 2] = found[..., 2, 1] = ab * ac - aa * bc
    determinants = aa * found[..., 0, 0] + ab * found[..., 0, 1] + ac * found[..., 0, 2]
    found /= determinants[..., None, None]
    return found, determinants


def posterior_of(runs: Runs, moments: Moments, law: Law) -> Posterior:
    variances = NOISES[:, None] ** 2
    sure = np.linalg.inv(law.spread)
    at_target = np.stack([np.ones_like(runs.reach), runs.reach, np.zeros_like(runs.reach)], axis=-1)
    known = sure + at_target[..., :, None] * at_target[..., None, :] / law.gap**2
    pull = sure @ law.mean + at_target * runs.goal[:, None, None] / law.gap**2
    precision = known[:, :, None] + moments.columns[:, :, None] / variances[..., None]
    pull = pull[:, :, None] + moments.crossed[:, :, None] / variances
    covariance, determinants = inverse(precision)
    means = (covariance * pull[..., None, :]).sum(axis=-1)
    squares = moments.squares[:, None, None] / NOISES**2 + (runs.goal[:, None, None] / law.gap) ** 2
    squares = squares + law.mean @ sure @ law.mean - (pull * means).sum(axis=-1)
    scale = 0.5 * np.linalg.slogdet(law.spread)[1] + np.log(law.gap)
    logs = -0.5 * (squares + np.log(determinants)) - runs.counts[:, None, None] * np.log(NOISES) - scale
    logs += np.log(law.powers + TINY)[:, None] + np.log(law.noises + TINY)
    top = logs.max(axis=(1, 2), keepdims=True)
    chances = np.exp(logs - top)
    totals = chances.sum(axis=(1, 2), keepdims=True)
    return Posterior(chances / totals, means, covariance, float((np.log(totals) + top).sum()))


def forecasts(runs: Runs, posterior: Posterior) -> tuple[np.ndarray, np.ndarray]:
    """The loss at the target size minus the goal, and its variance, for each power and noise."""
    reach, covariance = runs.reach[:, :, None], posterior.covariance
    middles = posterior.means[..., 0] + reach * posterior.means[..., 1] - runs.goal[:, None, None]
    variances = covariance[..., 0, 0] + 2 * reach * covariance[..., 0, 1] + reach**2 * covariance[..., 1, 1]
    return middles, variances


def new_shares(chances: np.ndarray, law: Law) -> tuple[np.ndarray, np.ndarray]:
    """The laws of powers and of noises, which need more rounds than the rest."""
    near = np.exp(-0.5 * ((POWERS[:, None] - POWERS) / SMOOTHING) ** 2)
    near /= near.sum(axis=0)
    powers, noises = law.powers, law.noises
    likelihood = chances / (powers + TINY)[:, None] / (noises + TINY)
    for _ in range(POWER_ROUNDS):
        powers = normalised(near @ (chances.sum(axis=(0, 2)) + POWER_WEIGHT * PRIOR_POWERS))
        noises = normalised(chances.sum(axis=(0, 1)) + NOISE_WEIGHT * PRIOR_NOISES)
        chances = likelihood * (powers + TINY)[:, None] * (noises + TINY)
        chances = chances / chances.sum(axis=(1, 2), keepdims=True)
    return powers, noises


def improved(runs: Runs, moments: Moments, law: Law) -> Law:
    """One round of expectation-maximisation."""
    posterior = posterior_of(runs, moments, law)
    count, chances = len(runs.counts), posterior.chances[..., None]
    total = (chances * posterior.means).sum(axis=(0, 1, 2))
    mean = (total + MEAN_WEIGHT * PRIOR_MEAN) / (count + MEAN_WEIGHT)
    apart = (posterior.means - mean).reshape(-1, 3)
    total = (chances[..., None] * posterior.covariance).sum(axis=(0, 1, 2))
    total = total + (apart * chances.reshape(-1, 1)).T @ apart
    spread = (total + SPREAD_WEIGHT * PRIOR_SPREAD) / (count + SPREAD_WEIGHT)
    middles, variances = forecasts(runs, posterior)
    squares = (posterior.chances * (middles**2 + variances)).sum()
    gap = float(np.sqrt((squares + GAP_WEIGHT * PRIOR_GAP**2) / (count + GAP_WEIGHT)))
    return Law(mean, spread, gap, *new_shares(posterior.chances, law), law.bend)


def new_bend(runs: Runs, law: Law, move: float) -> float:
    """The top of a parabola through the fits of three bends."""
    fits = []
    for bend in (law.bend - move, law.bend, law.bend + move):
        fit = posterior_of(runs, moments_of(runs, bend), law).fit
        fits.append(fit - 0.5 * ((bend - PRIOR_BEND) / BEND_ERROR) ** 2)
    curvature = fits[0] - 2 * fits[1] + fits[2]
    way = move * 0.5 * (fits[0] - fits[2]) / curvature if curvature < 0 else move * np.sign(fits[2] - fits[0])
    return float(np.clip(law.bend + np.clip(way, -2 * move, 2 * move), 0.4, 2.5))


def learn(runs: Runs) -> Law:
    """The law of all studies."""
    law = Law(PRIOR_MEAN, PRIOR_SPREAD, PRIOR_GAP, PRIOR_POWERS, PRIOR_NOISES, PRIOR_BEND)
    moments = moments_of(runs, law.bend)
    for number in range(ROUNDS):
        law = improved(runs, moments, law)
        if number in BEND_MOVES:
            law.bend = new_bend(runs, law, BEND_MOVES[number])
            moments = moments_of(runs, law.bend)
    return law


def summary(chances: np.ndarray, middles: np.ndarray, errors: np.ndarray) -> Found:
    """The mean, the 2.5% and the 97.5% point of a mixture of normal laws."""
    kept = chances > 1e-5
    chances, middles, errors = normalised(chances[kept]), middles[kept], errors[kept]
    z = np.linspace(-9.0, 9.0, 1801)
    normal = np.cumsum(np.exp(-(z**2) / 2.0)) - 0.5 * np.exp(-(z**2) / 2.0)
    grid = np.linspace((middles - 5 * errors).min(), (middles + 5 * errors).max(), 500)
    below = chances @ np.interp((grid - middles[:, None]) / errors[:, None], z, normal / normal[-1])
    low, high = np.interp([0.025, 0.975], below, grid)
    return float(chances @ middles), float(low), float(high)


def analyse_all(studies: dict[str, Rows]) -> dict[str, Found]:
    """The posterior mean and interval of each study's number, under the law learnt from all of them."""
    runs = runs_of(list(studies.values()))
    law = learn(runs)
    posterior = posterior_of(runs, moments_of(runs, law.bend), law)
    middles, variances = forecasts(runs, posterior)
    triples = zip(posterior.chances, middles, np.sqrt(variances), strict=True)
    return {name: summary(*triple) for name, triple in zip(studies, triples, strict=True)}
