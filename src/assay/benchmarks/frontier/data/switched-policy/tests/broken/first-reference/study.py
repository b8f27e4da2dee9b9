"""The best known analysis before: the effects have a smooth law, in which zero is no value of its own.

Given the two memories (of the response and of the noise) a study is a linear model: effect, level and daily wave.
Level, height of the wave and size of the noise come from normal laws of all studies. The laws of the memories and
of the effects have a free form on grids, found by expectation-maximisation. The interval is the posterior one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

MARGIN = 0.8
RESPONSE = np.r_[0.5, 0.55, np.arange(0.6, 0.9001, 0.0125), 0.92, 0.94]
"""Memories of the response."""
NOISE = np.r_[-0.1, -0.05, 0.0, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.56, 0.61, np.arange(0.65, 0.971, 0.015)]
"""Memories of the noise."""
EFFECTS = np.arange(-12.0, 12.0001, 0.1)
USUAL_LEVEL = 30.0
USUAL_RESPONSE = 0.75
WIDE_EFFECTS = 4.0
"""Standard deviation of the belief about effects."""
SPREADS = np.r_[0.003, 0.01, 0.02, 0.03, 0.05, 0.07, 0.1, 0.15, 0.2, 0.3, 0.5, 0.8, 1.2, 2.0, 4.0, 8.0]
MANY, FEW = 100, 60
"""Numbers of studies from which on the laws of the memories and of the effects are smoothed little."""
STEPS = 25
FARTHEST = 9.0
"""Pairs of memories whose log likelihood is this much lower than the best one are left out."""
REACH = 6.0
POINTS = 600

Rows = list[dict[str, str]]
Found = tuple[float, float, float]


@dataclass(frozen=True)
class Normal:
    """The law of one number over all studies; its spread includes the error of its mean."""

    mean: float
    spread: float


@dataclass
class Laws:
    """How often each memory and each effect occurs."""

    response: np.ndarray
    noise: np.ndarray
    effects: np.ndarray


@dataclass
class Cells:
    """The likely pairs of memories of one study, and what each says about the effect."""

    response: np.ndarray
    noise: np.ndarray
    effect: np.ndarray
    error: np.ndarray
    height: np.ndarray
    """The likelihood at the best effect of the pair."""
    near: np.ndarray
    """Places of the grid of effects that matter."""
    likelihood: np.ndarray
    """Of each pair and each of these effects, on the mean over the grid's cell."""


def sums_of(rows: Rows) -> np.ndarray:
    """Sums of squares and products of effect, level, wave along and across its phase, and load.

    There is one table for each memory of the response and each memory of the noise, whose memory is taken out.
    """
    tuned = np.array([float(row["policy"] == "tuned") for row in rows])
    angle = 2 * np.pi * np.array([int(row["hour"]) for row in rows]) / 24
    load = np.array([float(row["load"]) for row in rows]) - USUAL_LEVEL
    followed, values = np.full(len(RESPONSE), tuned[0]), []
    for value in tuned:
        followed = RESPONSE * followed + (1 - RESPONSE) * value
        values.append(followed)
    response = np.array(values).T
    usual = response[np.argmin(abs(RESPONSE - USUAL_RESPONSE))]
    x = np.stack([np.cos(angle), np.sin(angle), np.ones(len(load)), usual], axis=1)
    cosine, sine = np.linalg.lstsq(x, load, rcond=None)[0][:2]
    phase = np.arctan2(sine, cosine)
    fixed = np.array([np.ones(len(load)), np.cos(angle - phase), np.sin(angle - phase), load])
    columns = np.concatenate([response[:, None], np.broadcast_to(fixed, (len(RESPONSE), *fixed.shape))], axis=1)
    later, earlier, first = columns[:, :, 1:], columns[:, :, :-1], columns[:, :, 0]
    crossed = later @ earlier.transpose(0, 2, 1)
    memory = NOISE[:, None, None]
    sums = (later @ later.transpose(0, 2, 1))[:, None] - memory * (crossed + crossed.transpose(0, 2, 1))[:, None]
    sums = sums + memory**2 * (earlier @ earlier.transpose(0, 2, 1))[:, None]
    result: np.ndarray = sums + (1 - memory**2) * (first[:, :, None] * first[:, None, :])[:, None]
    return result


def alone(sums: np.ndarray, ticks: int) -> tuple[np.ndarray, np.ndarray, float]:
    """What the best pair of memories says of one study: coefficients, their errors, variance of the noise."""
    inner, target = sums[..., :4, :4], sums[..., :4, 4]
    fits = np.linalg.solve(inner, target[..., None])[..., 0]
    squares = sums[..., 4, 4] - (fits * target).sum(axis=-1)
    place = np.unravel_index((ticks * np.log(squares / ticks) - np.log(1 - NOISE**2)).argmin(), squares.shape)
    variance = float(squares[place] / (ticks - 5))
    return fits[place], np.sqrt(np.diag(np.linalg.inv(inner[place])) * variance), variance


def common(values: np.ndarray, errors: np.ndarray) -> Normal:
    """The normal law of numbers that are known with errors, at its best spread."""
    best = (-np.inf, Normal(0.0, 1.0))
    for spread in SPREADS:
        weights = 1 / (errors**2 + spread**2)
        mean = float(weights @ values / weights.sum())
        fit = 0.5 * (np.log(weights).sum() - np.log(weights.sum()) - weights @ (values - mean) ** 2)
        if fit > best[0]:
            best = fit, Normal(mean, float(np.hypot(spread, weights.sum() ** -0.5)))
    return best[1]


def cells_of(sums: np.ndarray, variance: float, level: Normal, wave: Normal) -> Cells:
    """Integrates level and wave out of each pair of memories, and keeps the pairs that may matter."""
    scaled = sums / variance
    precision = np.array([level.spread**-2, wave.spread**-2, 1e-4])
    inverse = np.linalg.inv(scaled[..., 1:4, 1:4] + np.diag(precision))
    target = scaled[..., 1:4, 4] + precision * np.array([level.mean, wave.mean, 0.0])
    across = scaled[..., 0, 1:4]
    certainty = scaled[..., 0, 0] - np.einsum("...i,...ij,...j", across, inverse, across)
    pull = scaled[..., 0, 4] - np.einsum("...i,...ij,...j", across, inverse, target)
    fit = 0.5 * (np.einsum("...i,...ij,...j", target, inverse, target) + pull**2 / certainty - scaled[..., 4, 4])
    fit += 0.5 * np.log(1 - NOISE**2) + 0.5 * np.linalg.slogdet(inverse)[1]
    weight = fit - 0.5 * np.log(certainty)
    likely = weight > weight.max() - FARTHEST
    effect, error = (pull / certainty)[likely], certainty[likely] ** -0.5
    step = EFFECTS[1] - EFFECTS[0]
    low, high = (effect - REACH * error).min() - step, (effect + REACH * error).max() + step
    near = np.nonzero((low < EFFECTS) & (high > EFFECTS))[0]
    points = EFFECTS[near] + step * np.linspace(-0.4, 0.4, 5)[:, None, None]
    height = np.exp(fit[likely] - fit[likely].max())
    density = np.exp(-0.5 * ((points - effect[:, None]) / error[:, None]) ** 2).mean(axis=0)
    return Cells(*np.nonzero(likely), effect, error, height, near, height[:, None] * density)


def smoother(grid: np.ndarray, width: float) -> np.ndarray:
    """The matrix that spreads each point's share over its neighbours."""
    weights: np.ndarray = np.exp(-0.5 * ((grid[:, None] - grid) / width) ** 2)
    return weights / weights.sum(axis=0)


def learn_laws(studies: Sequence[Cells]) -> Laws:
    """Expectation-maximisation with smoothing; a small part of each law stays what was believed first."""
    count = len(studies)
    width, kept = (0.01, 0.01) if count >= MANY else (0.03, 0.1)
    smoothers = [smoother(RESPONSE, width), smoother(NOISE, width), smoother(EFFECTS, 0.3 if count >= FEW else 2.0)]
    beliefs = [np.ones(len(RESPONSE)), np.ones(len(NOISE)), np.exp(-0.5 * (EFFECTS / WIDE_EFFECTS) ** 2)]
    beliefs = [belief / belief.sum() for belief in beliefs]
    laws = Laws(*beliefs)
    for _ in range(STEPS):
        totals = [np.zeros(len(belief)) for belief in beliefs]
        for cells in studies:
            chances = cells.likelihood * laws.effects[cells.near]
            chances = chances * (laws.response[cells.response] * laws.noise[cells.noise])[:, None]
            chances = chances / chances.sum()
            np.add.at(totals[0], cells.response, chances.sum(axis=1))
            np.add.at(totals[1], cells.noise, chances.sum(axis=1))
            totals[2][cells.near] += chances.sum(axis=0)
        parts = zip(smoothers, totals, beliefs, strict=True)
        shares = [(1 - kept) * smooth @ (total / count) + kept * belief for smooth, total, belief in parts]
        laws = Laws(*(share / share.sum() for share in shares))
    return laws


def interval_of(cells: Cells, laws: Laws) -> Found:
    """Median and 95% interval of the effect."""
    weights = cells.height * laws.response[cells.response] * laws.noise[cells.noise]
    low, high = (cells.effect - REACH * cells.error).min(), (cells.effect + REACH * cells.error).max()
    points = np.linspace(low, high, POINTS)
    density = weights @ np.exp(-0.5 * ((points - cells.effect[:, None]) / cells.error[:, None]) ** 2)
    density = density * np.interp(points, EFFECTS, laws.effects)
    below = (np.cumsum(density) - density / 2) / density.sum()
    middle, bottom, top = np.interp([0.5, 0.025, 0.975], below, points)
    return float(middle), float(bottom), float(top)


def variances_of(variances: np.ndarray, ticks: np.ndarray) -> np.ndarray:
    """The variances of the noise, drawn towards their common value."""
    logs, errors = 0.5 * np.log(variances), np.sqrt(0.5 / ticks)
    law = common(logs, errors)
    share = law.spread**2 / (law.spread**2 + errors**2)
    result: np.ndarray = np.exp(2 * (law.mean + share * (logs - law.mean)))
    return result


def analyse_all(studies: dict[str, Rows]) -> dict[str, Found]:
    """The posterior median and interval of each study's effect, under the laws learnt from all of them."""
    sums = [sums_of(rows) for rows in studies.values()]
    ticks = np.array([len(rows) for rows in studies.values()])
    fits, errors, variances = (np.array(part) for part in zip(*map(alone, sums, ticks), strict=True))
    level, wave = (common(fits[:, place], errors[:, place]) for place in (1, 2))
    variances = variances_of(variances, ticks)
    cells = [cells_of(own, variance, level, wave) for own, variance in zip(sums, variances, strict=True)]
    laws = learn_laws(cells)
    return {name: interval_of(own, laws) for name, own in zip(studies, cells, strict=True)}
