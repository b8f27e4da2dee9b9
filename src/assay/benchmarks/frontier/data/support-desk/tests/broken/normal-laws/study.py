"""Learns normal laws of all coefficients, also of the effect, from all studies of the folder.

Minutes, turns and transfers are three outcomes of a case; each is linear in tier and queue, apart for each
assistant. The coefficients of a study come from one of two normal laws (the effect of the new assistant rises or
falls with the tier). Expectation-maximisation finds the laws from all studies; the interval is the posterior one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

MARGIN = 2.0
OUTCOMES = ("minutes", "turns", "transferred")
COLUMNS = 8
"""Constant, tier, whether the tier is 2 and queue, and the same four for cases of the new assistant."""
SIZE = COLUMNS * len(OUTCOMES)
SLOPE = 5
"""The place of the change of the effect on minutes with the tier, by which the two laws differ."""
USUAL_QUEUE = 17.0
STEPS = 80
PRIOR_SLOPE = 6.8
PRIOR_MEAN = np.array(
    [
        [48.3, 10.0, -0.3, 0.5, 0.0, 0.0, 0.0, 0.0],
        [12.0, 2.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        [0.15, 0.13, -0.03, 0.007, 0.0, 0.0, 0.0, 0.0],
    ]
).ravel()
PRIOR_SPREAD = np.array(
    [
        [0.8, 0.4, 0.4, 0.05, 3.0, 1.0, 0.5, 0.05],
        [0.15, 0.15, 0.15, 0.02, 3.0, 0.25, 0.25, 0.02],
        [0.04, 0.04, 0.03, 0.003, 0.06, 0.06, 0.04, 0.003],
    ]
).ravel()
PRIOR_NOISE = np.array([[34.0, 5.6, 0.7], [5.6, 4.0, 0.08], [0.7, 0.08, 0.1]])
"""Weak beliefs before the first study is seen, in the size of the public studies."""
SPREAD_WEIGHT = 3.0
MEAN_WEIGHT = 1.0
COMMON_WEIGHT = 3.0
NOISE_WEIGHT = 20.0
SHRINKING = 24.0
"""How many studies the beliefs count for; the last one draws correlations towards zero."""

Rows = list[dict[str, str]]
Found = tuple[float, float, float]


@dataclass
class Moments:
    """Sums over the cases of each study: of the columns, of columns by outcomes, and of the outcomes."""

    columns: np.ndarray
    crossed: np.ndarray
    outcomes: np.ndarray
    cases: np.ndarray
    wanted: np.ndarray
    """The weights of the coefficients in the true number."""


@dataclass
class Law:
    """Two normal laws of the coefficients, how often each holds, and the covariance of the noise."""

    means: np.ndarray
    spread: np.ndarray
    noise: np.ndarray
    shares: np.ndarray


@dataclass
class Posterior:
    """The coefficients of each study: their covariance, their means under each law, the chance of each law."""

    covariance: np.ndarray
    means: np.ndarray
    chances: np.ndarray


def moments_of(rows: Rows) -> tuple[np.ndarray, ...]:
    tier = np.array([float(row["tier"]) for row in rows]) - 2.0
    queue = np.array([float(row["queue"]) for row in rows]) - USUAL_QUEUE
    is_new = np.array([row["assistant"] == "new" for row in rows])
    before = np.stack([np.ones(len(rows)), tier, tier == 0.0, queue], axis=1)
    x = np.hstack([before, before * is_new[:, None]])
    y = np.array([[float(row[name]) for name in OUTCOMES] for row in rows])
    wanted = np.zeros(SIZE)
    wanted[COLUMNS // 2 : COLUMNS] = before.mean(axis=0)
    return x.T @ x, x.T @ y, y.T @ y, np.array(len(rows)), wanted


def first_means() -> np.ndarray:
    means = np.array([PRIOR_MEAN, PRIOR_MEAN])
    means[:, SLOPE] = PRIOR_SLOPE, -PRIOR_SLOPE
    return means


def posterior_of(moments: Moments, law: Law) -> Posterior:
    count = len(moments.cases)
    noise, spread = np.linalg.inv(law.noise), np.linalg.inv(law.spread)
    precision = np.einsum("jk,npq->njpkq", noise, moments.columns).reshape(count, SIZE, SIZE)
    covariance = np.linalg.inv(precision + spread)
    data = np.einsum("jk,npk->njp", noise, moments.crossed).reshape(count, SIZE)
    means, fits = [], []
    for centre, share in zip(law.means, law.shares, strict=True):
        pull = data + spread @ centre
        mean = (covariance @ pull[..., None])[..., 0]
        means.append(mean)
        fits.append(0.5 * (pull * mean).sum(axis=1) - 0.5 * centre @ spread @ centre + np.log(share))
    chances = np.exp(np.array(fits) - np.max(fits, axis=0))
    return Posterior(covariance, np.array(means), chances / chances.sum(axis=0))


def new_means(posterior: Posterior) -> np.ndarray:
    """The centres of the two laws, which are drawn together in all but the slope."""
    count, first = len(posterior.covariance), first_means()
    common = (posterior.chances[..., None] * posterior.means).sum(axis=(0, 1))
    centres = (common + COMMON_WEIGHT * first) / (count + COMMON_WEIGHT)
    centres[:, SLOPE] = first[:, SLOPE]
    sums = (posterior.chances[..., None] * posterior.means).sum(axis=1)
    return (sums + MEAN_WEIGHT * centres) / (posterior.chances.sum(axis=1)[:, None] + MEAN_WEIGHT)


def new_spread(posterior: Posterior, means: np.ndarray, old: np.ndarray, lengthen: bool) -> np.ndarray:
    """How the coefficients of different studies vary; longer steps help where a variance is near zero."""
    count = len(posterior.covariance)
    apart = posterior.means - means[:, None]
    total = np.einsum("zn,znp,znq->pq", posterior.chances, apart, apart, optimize=True)
    total += posterior.covariance.sum(axis=0)
    kept = np.diag(total).copy()
    total *= count / (count + SHRINKING)
    np.fill_diagonal(total, kept)
    spread = (total + SPREAD_WEIGHT * np.diag(PRIOR_SPREAD**2)) / (count + SPREAD_WEIGHT)
    if lengthen:
        factor = np.clip(np.diag(spread) / np.diag(old), 0.8, 1.25) ** 0.75
        spread = spread * np.outer(factor, factor)
    return spread


def new_noise(posterior: Posterior, moments: Moments) -> np.ndarray:
    """The covariance of the three outcomes of a case, given its columns."""
    shape = (len(moments.cases), len(OUTCOMES), COLUMNS)
    blocks = posterior.covariance.reshape(*shape, *shape[1:])
    total = np.einsum("njpkq,npq->jk", blocks, moments.columns, optimize=True)
    for means, chances in zip(posterior.means, posterior.chances, strict=True):
        slopes = means.reshape(shape)
        fitted = np.einsum("njp,npk->njk", slopes, moments.crossed)
        squares = np.einsum("njp,npq,nkq->njk", slopes, moments.columns, slopes, optimize=True)
        residual = moments.outcomes - fitted - fitted.transpose(0, 2, 1) + squares
        total = total + np.einsum("n,njk->jk", chances, residual)
    return (total + NOISE_WEIGHT * PRIOR_NOISE) / (moments.cases.sum() + NOISE_WEIGHT)


def learn(moments: Moments) -> Law:
    """The law of all studies, by expectation-maximisation."""
    law = Law(first_means(), np.diag(PRIOR_SPREAD**2), PRIOR_NOISE, np.array([0.5, 0.5]))
    for step in range(STEPS):
        posterior = posterior_of(moments, law)
        means = new_means(posterior)
        spread = new_spread(posterior, means, law.spread, lengthen=step < STEPS - 5)
        shares = (posterior.chances.sum(axis=1) + 2.0) / (len(moments.cases) + 4.0)
        law = Law(means, spread, new_noise(posterior, moments), shares)
    return law


def quantiles(chances: np.ndarray, centres: np.ndarray, error: float) -> tuple[float, float]:
    """The 2.5% and the 97.5% point of a mixture of two normal laws with one standard deviation."""
    z = np.linspace(-9.0, 9.0, 18001)
    normal = np.cumsum(np.exp(-(z**2) / 2.0))
    grid = np.linspace(centres.min() - 6.0 * error, centres.max() + 6.0 * error, 3000)
    below = chances @ np.interp((grid - centres[:, None]) / error, z, normal / normal[-1])
    low, high = np.interp([0.025, 0.975], below, grid)
    return float(low), float(high)


def analyse_all(studies: dict[str, Rows]) -> dict[str, Found]:
    """The posterior mean and interval of each study's number, under the law learnt from all of them."""
    moments = Moments(*map(np.array, zip(*map(moments_of, studies.values()), strict=True)))
    posterior = posterior_of(moments, learn(moments))
    errors = np.sqrt(np.einsum("np,npq,nq->n", moments.wanted, posterior.covariance, moments.wanted))
    centres = (posterior.means * moments.wanted).sum(axis=2)
    found = {}
    for place, name in enumerate(studies):
        chances, middles = posterior.chances[:, place], centres[:, place]
        found[name] = (float(chances @ middles), *quantiles(chances, middles, errors[place]))
    return found
