"""A load that follows the policy slowly, with noise that remembers; both laws are learnt from all studies.

Given the two memories (of the response and of the noise) a study is a linear model with a normal prior. Its
posterior is summed over a grid of both memories. How often each memory occurs, the usual level, the size of
the effects and the noise are found from all studies of the folder by expectation-maximisation.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

MARGIN = 0.8
RESPONSE = np.arange(0.58, 0.921, 0.02)
"""Memories of the response."""
NOISE = np.r_[0.0, np.arange(-0.15, 0.651, 0.1), np.arange(0.66, 0.98, 0.015)]
"""Memories of the noise."""
USUAL_LEVEL = 30.0
WAVE = 5.0
"""Standard deviation of the two coefficients of the daily wave."""
EFFECT = 3
"""The place of the effect among level, cosine, sine and effect."""
STEPS = 20
BELIEF = 4.0
"""How many studies the beliefs below count for."""
FIRST_NOISE = 0.65
FIRST_LEVEL = 0.02
FIRST_EFFECT = 3.0
FARTHEST = 12.0
"""Pairs of memories whose log likelihood is this much lower than the best one are left out."""

Z = np.linspace(-9.0, 9.0, 1801)
NORMAL = np.array([NormalDist().cdf(float(z)) for z in Z])

Rows = list[dict[str, str]]
Found = tuple[float, float, float]


@dataclass
class Law:
    """What all studies have in common; `response` and `noise` are the shares of the memories."""

    sigma: float
    level: float
    level_spread: float
    effect_spread: float
    response: np.ndarray
    noise: np.ndarray


@dataclass
class Cells:
    """The pairs of memories that are likely, of all studies one after another."""

    sums: np.ndarray
    """Sums of squares and products of the four columns and the load, with the noise's memory taken out."""
    study: np.ndarray
    response: np.ndarray
    noise: np.ndarray
    ticks: np.ndarray
    """How many ticks each study has."""

    def per_study(self, values: np.ndarray) -> np.ndarray:
        return np.bincount(self.study, values, len(self.ticks))


@dataclass
class Posterior:
    """In each cell: its chance in the study, means and covariances of the coefficients, the lack of fit."""

    chance: np.ndarray
    mean: np.ndarray
    covariance: np.ndarray
    squares: np.ndarray


def first_law() -> Law:
    response = np.exp(-0.5 * ((RESPONSE - 0.75) / 0.06) ** 2)
    noise = np.r_[0.46, np.full(9, 0.04 / 9), np.full(len(NOISE) - 10, 0.5 / (len(NOISE) - 10))]
    return Law(FIRST_NOISE, 0.0, FIRST_LEVEL, FIRST_EFFECT, response / response.sum(), noise)


def sums_of(rows: Rows) -> np.ndarray:
    """The sums of one study, for each memory of the response and each memory of the noise."""
    tuned = [float(row["policy"] == "tuned") for row in rows]
    angle = 2 * np.pi * np.array([int(row["hour"]) for row in rows]) / 24
    y = np.array([float(row["load"]) for row in rows]) - USUAL_LEVEL
    followed, values = np.full(len(RESPONSE), tuned[0]), []
    for value in tuned:
        followed = RESPONSE * followed + (1 - RESPONSE) * value
        values.append(followed)
    fixed = np.stack([np.ones(len(y)), np.cos(angle), np.sin(angle), y], axis=1)
    x = np.repeat(fixed[None], len(RESPONSE), axis=0)
    x = np.concatenate([x[..., :EFFECT], np.array(values).T[..., None], x[..., EFFECT:]], axis=2)
    later, earlier = x[:, 1:], x[:, :-1]
    crossed = np.swapaxes(later, 1, 2) @ earlier
    first = x[:, 0, :, None] * x[:, 0, None, :]
    memory = NOISE[:, None, None, None]
    sums = np.swapaxes(later, 1, 2) @ later + memory**2 * (np.swapaxes(earlier, 1, 2) @ earlier)
    sums = sums - memory * (crossed + np.swapaxes(crossed, 1, 2)) + (1 - memory**2) * first
    return np.swapaxes(sums, 0, 1)


def fits(sums: np.ndarray, law: Law) -> tuple[np.ndarray, ...]:
    """Means, covariances and log likelihood, without the terms that are the same in all cells."""
    precision = 1 / np.array([law.level_spread, WAVE, WAVE, law.effect_spread]) ** 2
    pull = np.array([law.level * precision[0], 0.0, 0.0, 0.0])
    whole = sums[..., :4, :4] / law.sigma**2 + np.diag(precision)
    covariance = np.linalg.inv(whole)
    target = sums[..., :4, 4] / law.sigma**2 + pull
    mean = (covariance @ target[..., None])[..., 0]
    fit = 0.5 * ((mean * target).sum(axis=-1) - sums[..., 4, 4] / law.sigma**2)
    fit -= 0.5 * np.linalg.slogdet(whole)[1]
    return mean, covariance, fit


def likely_cells(studies: list[Rows], law: Law) -> Cells:
    """Looks at all pairs of memories once, and keeps those that may matter."""
    kept: list[list[np.ndarray]] = []
    for number, rows in enumerate(studies):
        sums = sums_of(rows)
        fit = fits(sums, law)[2] + 0.5 * np.log(1 - NOISE**2)
        response, noise = np.nonzero(fit > fit.max() - FARTHEST)
        kept.append([sums[response, noise], np.full(len(noise), number), response, noise])
    joined = [np.concatenate(parts) for parts in zip(*kept, strict=True)]
    return Cells(*joined, np.array([len(rows) for rows in studies]))


def posterior_of(cells: Cells, law: Law) -> Posterior:
    mean, covariance, fit = fits(cells.sums, law)
    fit += 0.5 * np.log(1 - NOISE[cells.noise] ** 2)
    fit += np.log(law.response[cells.response] * law.noise[cells.noise])
    best = np.full(len(cells.ticks), -np.inf)
    np.maximum.at(best, cells.study, fit)
    chance = np.exp(fit - best[cells.study])
    chance /= cells.per_study(chance)[cells.study]
    turned = np.concatenate([-mean, np.ones((len(mean), 1))], axis=1)
    squares = np.einsum("np,npq,nq->n", turned, cells.sums, turned)
    squares += np.einsum("npq,npq->n", covariance, cells.sums[:, :4, :4])
    return Posterior(chance, mean, covariance, squares)


def new_law(cells: Cells, posterior: Posterior) -> Law:
    """The law that fits best if the studies are as the posterior says, with some weight on first beliefs."""
    first, chance, total = first_law(), posterior.chance, len(cells.ticks) + BELIEF
    level = chance @ posterior.mean[:, 0] / total
    apart = (posterior.mean[:, 0] - level) ** 2 + posterior.covariance[:, 0, 0]
    effects = posterior.mean[:, EFFECT] ** 2 + posterior.covariance[:, EFFECT, EFFECT]
    response = np.bincount(cells.response, chance, len(RESPONSE)) + BELIEF * first.response
    noise = np.bincount(cells.noise, chance, len(NOISE)) + BELIEF * first.noise
    ticks = cells.ticks.sum() + 50 * BELIEF
    return Law(
        float(np.sqrt((chance @ posterior.squares + 50 * BELIEF * FIRST_NOISE**2) / ticks)),
        float(level),
        float(np.sqrt((chance @ apart + BELIEF * FIRST_LEVEL**2) / total)),
        float(np.sqrt((chance @ effects + BELIEF * FIRST_EFFECT**2) / total)),
        response / total,
        noise / total,
    )


def quantile(cells: Cells, posterior: Posterior, level: float) -> np.ndarray:
    """The point of each study's mixture of normal laws below which this share lies."""
    centre = posterior.mean[:, EFFECT]
    error = np.sqrt(posterior.covariance[:, EFFECT, EFFECT])
    low, high = np.full(len(cells.ticks), np.inf), np.full(len(cells.ticks), -np.inf)
    np.minimum.at(low, cells.study, centre - 8 * error)
    np.maximum.at(high, cells.study, centre + 8 * error)
    for _ in range(40):
        middle = (low + high) / 2
        normal = np.interp((middle[cells.study] - centre) / error, Z, NORMAL)
        below = cells.per_study(posterior.chance * normal)
        low, high = np.where(below < level, middle, low), np.where(below < level, high, middle)
    return (low + high) / 2


def analyse_all(studies: dict[str, Rows]) -> dict[str, Found]:
    """The posterior mean and interval of each study's effect, under the law learnt from all of them."""
    law = first_law()
    cells = likely_cells(list(studies.values()), law)
    for _ in range(STEPS):
        law = new_law(cells, posterior_of(cells, law))
    posterior = posterior_of(cells, law)
    estimates = cells.per_study(posterior.chance * posterior.mean[:, EFFECT])
    bounds = [quantile(cells, posterior, level) for level in (0.025, 0.975)]
    found = zip(estimates.tolist(), *(bound.tolist() for bound in bounds), strict=True)
    return dict(zip(studies, found, strict=True))
