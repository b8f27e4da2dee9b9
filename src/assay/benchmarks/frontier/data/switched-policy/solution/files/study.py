"""A load that follows the policy slowly, with noise that remembers; the laws of both are learnt from all studies.

Given the two memories (of the response and of the noise) a study is a linear model: level, daily wave and effect.
Level, height of the wave and size of the noise come from laws of all studies, which are found in rounds, with those
of the memories. The law of the effects is a mixture of narrow normal laws, of which one is an effect of nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import atan2, cos, inf, pi, sin

import numpy as np

MARGIN = 0.8
RESPONSE = np.r_[0.0, 0.2, 0.3, 0.4, np.arange(0.46, 0.96, 0.02)]
"""Memories of the response."""
NOISE = np.r_[np.arange(-0.15, 0.15, 0.03), np.arange(0.15, 0.6, 0.05), np.arange(0.6, 0.985, 0.02)]
"""Memories of the noise."""
USUAL_LEVEL = 30.0
USUAL_VARIANCE = 0.42
FIRST_EFFECTS = 25.0
"""Mean square of the effects, before they are seen."""
FEW, MANY = 4, 60
"""Numbers of studies from which on there are laws of level and wave, and a law of the effects of a free form."""
ROUNDS = 6
SMOOTHING = 0.015
BELIEF = 1.2
"""How many studies the first law of each memory counts for."""
FARTHEST = 10.0
"""Pairs of memories whose log likelihood is this much lower than the best one are left out."""
REACH, POINTS = 7.0, 1401
"""Half the length of the grid of a study's effects in standard deviations, and its points."""
BUMP, NOTHING = 0.4, 0.03
"""Standard deviations of the parts of the law of the effects: the usual ones, and that at zero."""
EFFECTS_BELIEF, ZERO_BELIEF = 8.0, 0.01
"""How many studies the first law of the effects counts for, and the share of zero in it."""
STEPS = 60

Rows = list[dict[str, str]]
Found = tuple[float, float, float]


@dataclass(frozen=True)
class Normal:
    """The law of one number over all studies."""

    mean: float
    spread: float


ANY = Normal(0.0, inf)


@dataclass
class Study:
    """The likely pairs of memories of one study, by their places, and the sums of squares and products of each."""

    ticks: int
    response: np.ndarray
    noise: np.ndarray
    inner: np.ndarray
    """Sums of level, cosine, sine and response."""
    target: np.ndarray
    """Their sums with the measured values."""
    squares: np.ndarray
    phase: float = 0.0


@dataclass(frozen=True)
class Laws:
    """What the studies have in common."""

    level: Normal
    wave: Normal
    effects: float
    """Mean square of the effects."""
    response: np.ndarray
    noise: np.ndarray


@dataclass(frozen=True)
class Fits:
    """The fit of each pair of memories: log weight, coefficients, their covariance, squares of the residuals."""

    weight: np.ndarray
    means: np.ndarray
    covariance: np.ndarray
    residuals: np.ndarray


@dataclass(frozen=True)
class Likelihood:
    """How likely each effect of a study is, before the law of the effects."""

    points: np.ndarray
    density: np.ndarray

    def mean_of(self, centres: np.ndarray, width: float) -> np.ndarray:
        """The mean of normal densities about the centres."""
        result: np.ndarray = self.density @ bumps(self.points, centres, width)
        return result


def bumps(points: np.ndarray, centres: np.ndarray, width: float) -> np.ndarray:
    """Normal densities about each centre, at each point, up to a constant."""
    result: np.ndarray = np.exp(-0.5 * ((points[:, None] - centres) / width) ** 2) / width
    return result


def filtered(columns: np.ndarray) -> np.ndarray:
    """Sums of squares and products of all columns, for each memory of the noise, which is taken out."""
    first, last = np.outer(columns[0], columns[0]), np.outer(columns[-1], columns[-1])
    whole, crossed = columns.T @ columns, columns[1:].T @ columns[:-1]
    memory = NOISE[:, None, None]
    sums = (1 - memory**2) * first + (whole - first) - memory * (crossed + crossed.T)
    result: np.ndarray = sums + memory**2 * (whole - last)
    return result


def study_of(rows: Rows) -> Study:
    """Fits each pair of memories to one study, and keeps the likely ones."""
    tuned = np.array([float(row["policy"] == "tuned") for row in rows])
    angle = 2 * pi * np.array([float(row["hour"]) for row in rows]) / 24
    values = np.array([float(row["load"]) for row in rows]) - USUAL_LEVEL
    response, followed = np.empty((len(rows), len(RESPONSE))), np.full(len(RESPONSE), tuned[0])
    for place, value in enumerate(tuned):
        followed = RESPONSE * followed + (1 - RESPONSE) * value
        response[place] = followed
    sums = filtered(np.column_stack([np.ones(len(rows)), np.cos(angle), np.sin(angle), values, response]))
    inner, target = np.empty((len(NOISE), len(RESPONSE), 4, 4)), np.empty((len(NOISE), len(RESPONSE), 4))
    inner[..., :3, :3], target[..., :3] = sums[:, None, :3, :3], sums[:, None, :3, 3]
    inner[..., :3, 3] = inner[..., 3, :3] = sums[:, :3, 4:].transpose(0, 2, 1)
    inner[..., 3, 3], target[..., 3] = np.diagonal(sums[:, 4:, 4:], axis1=1, axis2=2), sums[:, 4:, 3]
    inner += 1e-6 * np.eye(4)
    squares = np.broadcast_to(sums[:, 3, 3, None], inner.shape[:2])
    means = np.linalg.solve(inner + np.eye(4) * USUAL_VARIANCE / FIRST_EFFECTS, target[..., None])[..., 0]
    fit = -0.5 * len(rows) * np.log(squares - (means * target).sum(axis=-1))
    fit = fit + 0.5 * np.log(1 - NOISE**2)[:, None]
    likely = fit > fit.max() - FARTHEST
    noise, places = np.nonzero(likely)
    return Study(len(rows), places, noise, inner[likely], target[likely], squares[likely])


def fits_of(study: Study, variance: float, laws: Laws) -> Fits:
    """The posterior of the linear model of each pair of memories."""
    along = np.array([0.0, cos(study.phase), sin(study.phase), 0.0])
    precision = np.diag([laws.level.spread**-2, 0.0, 0.0, 1 / laws.effects])
    precision = precision + np.outer(along, along) / laws.wave.spread**2
    pull = along * laws.wave.mean / laws.wave.spread**2
    pull[0] = laws.level.mean / laws.level.spread**2
    inverse, target = study.inner / variance + precision, study.target / variance + pull
    covariance = np.linalg.inv(inverse)
    means = np.einsum("kij,kj->ki", covariance, target)
    weight = 0.5 * (means * target).sum(axis=1) - 0.5 * study.squares / variance
    weight = weight - 0.5 * np.linalg.slogdet(inverse)[1] + 0.5 * np.log(1 - NOISE**2)[study.noise]
    weight = weight + np.log(laws.noise + 1e-12)[study.noise] + np.log(laws.response + 1e-12)[study.response]
    residuals = study.squares - 2 * (means * study.target).sum(axis=1)
    residuals = residuals + np.einsum("ki,kij,kj->k", means, study.inner, means)
    return Fits(weight, means, covariance, residuals)


def shares_of(fits: Fits) -> np.ndarray:
    shares: np.ndarray = np.exp(fits.weight - fits.weight.max())
    return shares / shares.sum()


def look_at(study: Study, variance: float, laws: Laws, totals: tuple[np.ndarray, np.ndarray]) -> list[float]:
    """Level and wave of a study by its own data, each with its variance; its effect; squares of its residuals.

    The shares of its memories are added to the totals.
    """
    informed = fits_of(study, variance, laws)
    free = fits_of(study, variance, replace(laws, level=ANY, wave=ANY))
    shares = shares_of(informed)
    np.add.at(totals[0], study.response, shares)
    np.add.at(totals[1], study.noise, shares)
    common, own = shares @ informed.means, shares @ free.means
    apart = free.means - own
    covariance = np.einsum("k,kij->ij", shares, free.covariance) + (shares[:, None] * apart).T @ apart
    study.phase = atan2(common[2], common[1])
    along = np.array([cos(study.phase), sin(study.phase)])
    wave, error = along @ own[1:3], along @ covariance[1:3, 1:3] @ along
    return [own[0], covariance[0, 0], wave, error, common[3], shares @ informed.residuals]


def common_law(values: np.ndarray, variances: np.ndarray) -> Normal:
    """The normal law of numbers that are known with errors, at its best spread."""
    best, law = -inf, ANY
    for spread in [0.01, *np.geomspace(0.013, 3 * np.std(values) + 0.02, 60)]:
        weights = 1 / (variances + spread**2)
        mean = float(weights @ values / weights.sum())
        fit = 0.5 * np.log(weights).sum() - 0.5 * weights @ (values - mean) ** 2
        if fit > best + 1e-9:
            best, law = fit, Normal(mean, float(spread))
    return law


def variances_of(residuals: np.ndarray, ticks: np.ndarray) -> np.ndarray:
    """The variances of the noise, drawn towards their common value."""
    freedom = ticks - 4.0
    mean = residuals.sum() / freedom.sum()
    excess = 0.02
    if len(ticks) >= FEW:
        excess = np.mean(np.log(residuals / freedom / mean) ** 2) - np.mean(2 / freedom)
    strength = min(2 / max(excess, 1e-9), 20000.0)
    result: np.ndarray = (strength * mean + residuals) / (strength + freedom)
    return result


def memories(grid: np.ndarray, total: np.ndarray, first: np.ndarray) -> np.ndarray:
    """The law of a memory: how often each was seen, smoothed, and a little of the first belief."""
    spread = bumps(grid, grid, SMOOTHING)
    law: np.ndarray = spread / spread.sum(axis=0) @ total + BELIEF * first
    return law / law.sum()


def learn_laws(studies: Sequence[Study]) -> tuple[Laws, np.ndarray]:
    """What the studies have in common, and the variance of the noise of each."""
    response, noise = np.gradient(RESPONSE) * np.where(RESPONSE < 0.4, 0.2, 1.0), np.gradient(NOISE)
    first = Laws(ANY, ANY, FIRST_EFFECTS, response / response.sum(), noise / noise.sum())
    laws, variances = first, np.full(len(studies), USUAL_VARIANCE)
    ticks = np.array([study.ticks for study in studies])
    for _ in range(ROUNDS):
        totals = np.zeros(len(RESPONSE)), np.zeros(len(NOISE))
        seen = [look_at(study, own, laws, totals) for study, own in zip(studies, variances, strict=True)]
        levels, level_errors, waves, wave_errors, effects, residuals = np.array(seen).T
        level, wave = Normal(levels.mean(), 1.0), Normal(waves.mean(), 1.0)
        if len(studies) >= FEW:
            level, wave = common_law(levels, level_errors), common_law(waves, wave_errors)
        variances = variances_of(residuals, ticks)
        square = float((effects**2).mean()) + 0.5 if len(studies) >= FEW else 9.0
        parts = zip((RESPONSE, NOISE), totals, (first.response, first.noise), strict=True)
        laws = Laws(level, wave, square, *(memories(*part) for part in parts))
    return laws, variances


def likelihood_of(study: Study, variance: float, laws: Laws) -> Likelihood:
    """The likelihood of the effect, over all likely pairs of memories."""
    fits = fits_of(study, variance, replace(laws, effects=1e4))
    shares = shares_of(fits)
    kept = shares > 1e-5
    shares, means, variances = shares[kept] / shares[kept].sum(), fits.means[kept, 3], fits.covariance[kept, 3, 3]
    centre = shares @ means
    reach = REACH * np.sqrt(shares @ (variances + (means - centre) ** 2))
    points = np.linspace(centre - reach, centre + reach, POINTS)
    density = np.exp(-0.5 * (points[:, None] - means) ** 2 / variances) @ (shares / np.sqrt(variances))
    return Likelihood(points, density / density.sum())


def learn_effects(likelihoods: Sequence[Likelihood], square: float) -> tuple[np.ndarray, np.ndarray]:
    """Centres of the law of the effects, and their shares with that of zero as the last one."""
    furthest = 3.2 * np.sqrt(square)
    centres = np.arange(-furthest, furthest + 0.01, BUMP)
    evidence = [[*own.mean_of(centres, BUMP), *own.mean_of(np.zeros(1), NOTHING)] for own in likelihoods]
    first = np.exp(-0.5 * centres**2 / square)
    first = np.append(first / first.sum() * (1 - ZERO_BELIEF), ZERO_BELIEF)
    law = first
    for _ in range(STEPS):
        chances = np.array(evidence) * law
        total = (chances / chances.sum(axis=1, keepdims=True)).sum(axis=0)
        total[:-1] = np.convolve(total[:-1], [0.25, 0.5, 0.25], "same")
        law = total + EFFECTS_BELIEF * first
        law = law / law.sum()
    return centres, law


def interval_of(own: Likelihood, prior: np.ndarray) -> Found:
    """Median and 95% interval of the effect."""
    density = own.density * prior / (own.density @ prior)
    low, middle, high = np.interp([0.025, 0.5, 0.975], np.cumsum(density) - 0.5 * density, own.points)
    return float(middle), float(low), float(high)


def analyse_all(studies: dict[str, Rows]) -> dict[str, Found]:
    """The posterior median and interval of each study's effect, under the laws learnt from all of them."""
    prepared = [study_of(rows) for rows in studies.values()]
    laws, variances = learn_laws(prepared)
    likelihoods = [likelihood_of(own, variance, laws) for own, variance in zip(prepared, variances, strict=True)]
    if len(studies) < MANY:
        priors = [np.exp(-0.5 * own.points**2 / laws.effects) for own in likelihoods]
    else:
        centres, law = learn_effects(likelihoods, laws.effects)
        priors = [
            bumps(own.points, centres, BUMP) @ law[:-1] + bumps(own.points, np.zeros(1), NOTHING)[:, 0] * law[-1]
            for own in likelihoods
        ]
    found = zip(studies, likelihoods, priors, strict=True)
    return {name: interval_of(own, prior) for name, own, prior in found}
