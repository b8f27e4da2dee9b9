"""Adjusts for what the router saw, with the law of all coefficients learnt from all studies of the folder.

Minutes and turns are two outcomes of a case; each is linear in tier and queue, apart for each assistant. Most
coefficients are the same in all studies or vary normally, and how much is found by likelihood. The law of the
effect in the middle tier has any form: weights on a grid, smoothed as much as cross-validation asks.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

MARGIN = 2.0
OUTCOMES = ("minutes", "turns")
COLUMNS = 8
"""Constant, tier, whether the tier is 2 and queue, and the same four for cases of the new assistant."""
SIZE = COLUMNS * len(OUTCOMES)
EFFECT = 4
"""The place of the effect on the minutes in the middle tier."""
SIGNED = (5, COLUMNS + 4)
"""Coefficients of similar size and of either sign: the slope of the effect, and the effect on turns."""
FIRST_SPREAD = np.array([0.3, 0.3, 0.3, 0.1, 3.0, 0.8, 0.2, 0.1, 0.1, 0.1, 0.1, 0.05, 0.6, 0.1, 0.1, 0.05])
"""How much the coefficients differ between studies, used where there are too few studies to learn it."""
NONE = 1e-8
SPREADS = np.array([NONE, *np.geomspace(1e-3, 100.0, 100)])
"""The variances between studies that are tried."""
ENOUGH_FOR_SPREAD = 30
ENOUGH_FOR_FORM = 60
SWEEPS = 8
STEP = 0.05
FORMS = ((0.0, 0), (0.05, 100), (0.1, 100), (0.15, 100), (0.25, 60), (0.4, 40), (0.6, 25))
"""Smoothing and steps of each candidate for the law of the effect; without steps it is normal."""
PARTS = 10
SHARE_OF_TAILS = 0.03

Rows = list[dict[str, str]]
Found = tuple[float, float, float]
Form = tuple[float, int]


@dataclass
class Desks:
    """What the cases of each study say of its coefficients: precision, and precision times value."""

    precision: np.ndarray
    pull: np.ndarray
    wanted: np.ndarray
    """The weights of the coefficients in the true number."""


@dataclass
class Law:
    """Means of the coefficients over studies, the precision of these, and the variances between studies."""

    means: np.ndarray
    precision: np.ndarray
    spread: np.ndarray


def read_cases(rows: Rows) -> tuple[np.ndarray, np.ndarray]:
    tier = np.array([float(row["tier"]) for row in rows]) - 2.0
    queue = (np.array([float(row["queue"]) for row in rows]) - 18.0) / 6.0
    is_new = np.array([row["assistant"] == "new" for row in rows])
    before = np.stack([np.ones(len(rows)), tier, tier == 0.0, queue], axis=1)
    outcomes = np.array([[float(row[name]) for name in OUTCOMES] for row in rows])
    return np.hstack([before, before * is_new[:, None]]), outcomes


def fit_plainly(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    return np.linalg.solve(x.T @ x + 1e-6 * np.eye(x.shape[1]), x.T @ y)


def noise_of(cases: list[tuple[np.ndarray, np.ndarray]]) -> np.ndarray:
    """The covariance of the outcomes of a case, given its columns, common to all studies."""
    total, freedom = np.zeros((len(OUTCOMES), len(OUTCOMES))), 0
    for x, y in cases:
        residuals = y - x @ fit_plainly(x, y)
        total += residuals.T @ residuals
        freedom += max(len(x) - COLUMNS, 1)
    return total / freedom


def signs_of(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """The signs of the signed coefficients, and one for all others."""
    signs = np.ones(SIZE)
    few = fit_plainly(x[:, :6], y).T
    signs[list(SIGNED)] = np.where(np.array([few[0, 5], few[1, 4]]) < 0.0, -1.0, 1.0)
    return signs


def desks_of(studies: list[Rows]) -> Desks:
    cases = [read_cases(rows) for rows in studies]
    inverse = np.linalg.inv(noise_of(cases))
    precision, pull, wanted = [], [], []
    for x, y in cases:
        signs = signs_of(x, y)
        precision.append(np.kron(inverse, x.T @ x) * np.outer(signs, signs) + 1e-6 * np.eye(SIZE))
        pull.append((inverse @ y.T @ x).ravel() * signs)
        weights = np.zeros(SIZE)
        weights[EFFECT:COLUMNS] = x[:, :EFFECT].mean(axis=0)
        wanted.append(weights * signs)
    return Desks(np.array(precision), np.array(pull), np.array(wanted))


def with_means(desks: Desks, spread: np.ndarray) -> Law:
    """The law with these variances and the likeliest means."""
    own = 1.0 / spread
    covariance = np.linalg.inv(desks.precision + np.diag(own))
    precision = (np.diag(own) - own[:, None] * covariance * own).sum(axis=0)
    total = (np.einsum("nab,nb->na", covariance, desks.pull) * own).sum(axis=0)
    return Law(np.linalg.solve(precision, total), precision, spread)


def likeliest(values: np.ndarray, errors: np.ndarray) -> float:
    """The variance between studies of a coefficient measured with errors; none unless it clearly helps."""
    weights = 1.0 / (SPREADS[:, None] + errors)
    sums = weights.sum(axis=1)
    apart = values - (weights @ values / sums)[:, None]
    fits = 0.5 * (np.log(weights) - weights * apart**2).sum(axis=1) - 0.5 * np.log(sums)
    fits[0] += 1.0
    return float(SPREADS[np.argmax(fits)])


def sweep(desks: Desks, law: Law) -> Law:
    """Each variance in turn, given the others."""
    spread = law.spread.copy()
    covariance = np.linalg.inv(desks.precision + np.diag(1.0 / spread))
    pull = desks.pull + law.means / spread
    for place in range(SIZE):
        column = covariance[:, :, place]
        mean, variance = (column * pull).sum(axis=1), column[:, place]
        precision = 1.0 / variance - 1.0 / spread[place]
        values = (mean / variance - law.means[place] / spread[place]) / precision
        old, spread[place] = spread[place], likeliest(values, 1.0 / precision)
        change = 1.0 / spread[place] - 1.0 / old
        share = change / (1.0 + change * variance)
        covariance = covariance - np.einsum("na,nb,n->nab", column, column, share)
        pull[:, place] += law.means[place] * change
    return with_means(desks, spread)


def learn(desks: Desks) -> Law:
    law = with_means(desks, FIRST_SPREAD**2)
    if len(desks.pull) >= ENOUGH_FOR_SPREAD:
        for _ in range(SWEEPS):
            law = sweep(desks, law)
    return law


def measure(desks: Desks, law: Law) -> tuple[np.ndarray, np.ndarray]:
    """Two numbers of each study, with their covariance, as if nothing was known of the law of the effect.

    They are the effect in the middle tier and the number that is asked for.
    """
    own = 1.0 / law.spread
    own[EFFECT] = NONE
    covariance = np.linalg.inv(desks.precision + np.diag(own))
    means = np.einsum("nab,nb->na", covariance, desks.pull + own * law.means)
    asked = np.stack([np.broadcast_to(np.eye(SIZE)[EFFECT], desks.wanted.shape), desks.wanted], axis=1)
    reach = asked @ covariance
    from_means = reach * own
    from_means[:, :, EFFECT] = 0.0
    total = reach @ asked.transpose(0, 2, 1)
    total += from_means @ np.linalg.inv(law.precision) @ from_means.transpose(0, 2, 1)
    return np.einsum("nka,na->nk", asked, means), total


def bell(apart: np.ndarray, width: np.ndarray | float) -> np.ndarray:
    return np.exp(-0.5 * (apart / width) ** 2)


def normal_law(values: np.ndarray, errors: np.ndarray, grid: np.ndarray, factor: float) -> np.ndarray:
    weights = 1.0 / (errors**2 + 4.0)
    middle = np.average(values, weights=weights)
    variance = max(np.mean((values - middle) ** 2 - errors**2), 0.25)
    law = bell(grid - middle, factor * np.sqrt(variance))
    return law / law.sum()


def law_of_effects(values: np.ndarray, errors: np.ndarray, grid: np.ndarray, form: Form) -> np.ndarray:
    """Weights on the grid that make the values likeliest, smoothed, with some weight in the tails."""
    smoothing, steps = form
    plain = normal_law(values, errors, grid, 1.0)
    if not steps:
        return plain
    likelihood = bell(values[:, None] - grid, errors[:, None])
    law = 0.5 * plain + 0.5 / len(grid)
    for _ in range(steps):
        law = law * ((1.0 / (likelihood @ law)) @ likelihood) / len(values)
    kernel = bell(grid[:, None] - grid, smoothing)
    law = (kernel / kernel.sum(axis=0)) @ law
    return (1.0 - SHARE_OF_TAILS) * law + SHARE_OF_TAILS * (0.98 * plain + 0.02 / len(grid))


def choose_law(values: np.ndarray, errors: np.ndarray, grid: np.ndarray) -> np.ndarray:
    """The candidates for the law of the effect, weighted by how well each foresees studies left out."""
    if len(values) < ENOUGH_FOR_FORM:
        return normal_law(values, errors, grid, 1.3)
    part = np.arange(len(values)) % PARTS
    likelihood = bell(values[:, None] - grid, errors[:, None])
    fits = np.zeros(len(FORMS))
    for place, form in enumerate(FORMS):
        for left_out in range(PARTS):
            kept = part != left_out
            law = law_of_effects(values[kept], errors[kept], grid, form)
            fits[place] += np.log(likelihood[~kept] @ law).sum()
    weights = np.exp(fits - fits.max())
    laws = np.array([law_of_effects(values, errors, grid, form) for form in FORMS])
    return weights @ laws / weights.sum()


def quantile(share: float, chances: np.ndarray, centres: np.ndarray, error: np.ndarray) -> np.ndarray:
    """A quantile of a mixture of normal laws for each study, by bisection."""
    z = np.linspace(-9.0, 9.0, 4001)
    normal = np.cumsum(bell(z, 1.0))
    low, high = centres.min(axis=1) - 9.0 * error, centres.max(axis=1) + 9.0 * error
    for _ in range(32):
        middle = 0.5 * (low + high)
        apart = (middle[:, None] - centres) / error[:, None]
        below = (chances * np.interp(apart, z, normal / normal[-1])).sum(axis=1)
        low, high = np.where(below < share, middle, low), np.where(below < share, high, middle)
    return 0.5 * (low + high)


def analyse_all(studies: dict[str, Rows]) -> dict[str, Found]:
    """The posterior mean and interval of each study's number, under the law learnt from all of them."""
    desks = desks_of(list(studies.values()))
    found, covariance = measure(desks, learn(desks))
    effects, errors = found[:, 0], np.sqrt(covariance[:, 0, 0])
    grid = np.arange(effects.min() - 4.0, effects.max() + 4.0, STEP)
    chances = bell(effects[:, None] - grid, errors[:, None]) * choose_law(effects, errors, grid)
    chances /= chances.sum(axis=1, keepdims=True)
    along = covariance[:, 0, 1] / covariance[:, 0, 0]
    centres = found[:, 1:] + along[:, None] * (grid - effects[:, None])
    left = np.sqrt(np.maximum(covariance[:, 1, 1] - along * covariance[:, 0, 1], 0.0) + (0.5 * STEP) ** 2)
    estimates = (chances * centres).sum(axis=1)
    lows, highs = (quantile(share, chances, centres, left) for share in (0.025, 0.975))
    columns = (estimates.tolist(), lows.tolist(), highs.tolist())
    return dict(zip(studies, zip(*columns, strict=True), strict=True))
