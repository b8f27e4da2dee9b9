"""Both marks of a site are its ability plus noise that falls with its size; all studies show the laws.

A study has six numbers: level, drift, effect, leniency of coaches, and logarithms of the spread of abilities
and of the noise. Expectation-maximisation finds from all studies how each of them varies. The effects may
have any law: how smooth it is, cross-validation says. The interval is the posterior one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

MARGIN = 5.0
LEVEL, EFFECT = 0, 2
"""Places among the four numbers that move the marks: level, drift, effect, leniency."""
USUAL_LEVEL = 60.0
GRIDS = (np.log(3.0) + 0.07 * np.arange(28), np.log(11.0) + 0.055 * np.arange(25))
"""Logarithms of the spread and of the noise."""
LOGS = np.stack([grid.ravel() for grid in np.meshgrid(*GRIDS, indexing="ij")], axis=1)
UNLIKELY = 11.0
"""Pairs of spread and noise whose log likelihood is this much under the best are left out."""
FIRST_MEANS = np.array([0.0, 0.0, 5.0, 7.0, 2.2, 3.1])
FIRST_VARIANCES = np.array([0.5, 6.0, 80.0, 2.0, 0.04, 0.02])
PRIOR_VARIANCES = np.array([0.5, 4.0, 60.0, 2.0, 0.03, 0.01])
LEAST_VARIANCES = np.array([1e-4, 1e-4, 1e-4, 1e-4, 0.0015, 0.001])
FREE = np.ones(6)
STEPS = 30
FEW = 60
"""With fewer studies the effects have a wide normal law."""
STEP = 0.1
SHAPES = ((0.4, 80), (1.0, 30), (2.0, 15))
"""Laws of the effects that are tried beside the normal one: width of the smoothing, and steps."""
FOLDS = 5

Rows = list[dict[str, str]]
Found = tuple[float, float, float]


@dataclass
class Nodes:
    """For each study and each pair of spread and noise: the likelihood of the four numbers, a normal one."""

    precision: np.ndarray
    pull: np.ndarray
    height: np.ndarray
    logs: np.ndarray
    counts: np.ndarray
    """How many nodes each study has."""

    @property
    def starts(self) -> np.ndarray:
        return np.cumsum(self.counts) - self.counts


@dataclass
class Law:
    """Means and variances of the six numbers over all studies."""

    means: np.ndarray
    variances: np.ndarray


@dataclass
class Posterior:
    """The log likelihood of all studies, the share of each node in its study, and the six numbers there."""

    fit: float
    shares: np.ndarray
    means: np.ndarray
    variances: np.ndarray


def nodes_of(rows: Rows) -> tuple[np.ndarray, ...]:
    marks = np.array([[float(row[name]) for row in rows] for name in ("first", "second")]) - USUAL_LEVEL
    size = np.array([float(row["size"]) for row in rows])
    ones, coached = np.ones(len(rows)), np.array([float(row["coached"] == "yes") for row in rows])
    coach = np.array([float(row["marker"] == "coach") for row in rows])
    x = np.stack([np.stack([ones, 0 * ones, 0 * ones, 0 * ones]), np.stack([ones, ones, coached, coach])])
    spread, noise = np.exp(2 * LOGS.T)[:, :, None]
    own = noise / size
    determinant = own * (2 * spread + own)
    same, other = (spread + own) / determinant, -spread / determinant
    turned, turned_marks = x[::-1], marks[::-1]
    squares = [(x[:, :, None] * y[:, None]).sum(axis=0).reshape(16, -1) for y in (x, turned)]
    precision = (same @ squares[0].T + other @ squares[1].T).reshape(-1, 4, 4)
    pull = same @ (x * marks[:, None]).sum(axis=0).T + other @ (x * turned_marks[:, None]).sum(axis=0).T
    misfit = same @ (marks**2).sum(axis=0) + other @ (marks * turned_marks).sum(axis=0)
    height = -0.5 * (np.log(determinant).sum(axis=1) + misfit)
    loose = precision + 1e-4 * np.eye(4)
    best = (pull * np.linalg.solve(loose, pull[:, :, None])[:, :, 0]).sum(axis=1)
    profile = height + 0.5 * (best - np.linalg.slogdet(loose)[1])
    kept = profile > profile.max() - UNLIKELY
    return precision[kept], pull[kept], height[kept], LOGS[kept]


def all_nodes(studies: dict[str, Rows]) -> Nodes:
    parts = [nodes_of(rows) for rows in studies.values()]
    joined = [np.concatenate(arrays) for arrays in zip(*parts, strict=True)]
    return Nodes(*joined, counts=np.array([len(part[0]) for part in parts]))


def posterior_of(nodes: Nodes, law: Law) -> Posterior:
    centre, sharpness = law.means[:4], 1 / law.variances[:4]
    covariance = np.linalg.inv(nodes.precision + np.diag(sharpness))
    pull = nodes.pull + sharpness * centre
    means = (covariance @ pull[:, :, None])[:, :, 0]
    fits = nodes.height + 0.5 * ((pull * means).sum(axis=1) + np.linalg.slogdet(covariance)[1])
    fits += 0.5 * (np.log(sharpness) - sharpness * centre**2).sum()
    for place, grid in enumerate(GRIDS):
        middle, variance = law.means[4 + place], law.variances[4 + place]
        total = np.exp(-0.5 * (grid - middle) ** 2 / variance).sum()
        fits -= 0.5 * (nodes.logs[:, place] - middle) ** 2 / variance + np.log(total)
    highest = np.maximum.reduceat(fits, nodes.starts)
    shares = np.exp(fits - np.repeat(highest, nodes.counts))
    totals = np.add.reduceat(shares, nodes.starts)
    shares /= np.repeat(totals, nodes.counts)
    means = np.hstack([means, nodes.logs])
    variances = np.hstack([np.diagonal(covariance, axis1=1, axis2=2), 0 * nodes.logs])
    return Posterior(float((highest + np.log(totals)).sum()), shares, means, variances)


def improved(nodes: Nodes, law: Law, free: np.ndarray, steps: int) -> tuple[Law, float]:
    """The law after steps of expectation-maximisation, long ones in the variances, and its likelihood."""
    count = len(nodes.counts)
    weight = 3.0 if count < FEW else 0.5
    for _ in range(steps):
        found = posterior_of(nodes, law)
        means = found.shares @ found.means / count
        variances = found.shares @ ((found.means - means) ** 2 + found.variances)
        ratio = (variances + weight * PRIOR_VARIANCES) / (count + weight) / law.variances
        law = Law(means, np.maximum(law.variances * ratio ** (1.5 * free), LEAST_VARIANCES))
    return law, posterior_of(nodes, law).fit


def learn(nodes: Nodes) -> Law:
    """The law of all studies; one level for all of them if that fits as well."""
    law, fit = improved(nodes, Law(FIRST_MEANS, FIRST_VARIANCES), FREE, STEPS)
    if len(nodes.counts) < FEW:
        return law
    is_level = np.arange(6) == LEVEL
    fixed = Law(law.means, np.where(is_level, LEAST_VARIANCES, law.variances))
    simpler, simpler_fit = improved(nodes, fixed, FREE - is_level, 4)
    return simpler if simpler_fit > fit - 1 else law


@dataclass
class Effects:
    """The likelihood of the effect of each study on a grid, with its mean and its variance."""

    grid: np.ndarray
    likelihood: np.ndarray
    means: np.ndarray
    variances: np.ndarray


def effects_of(nodes: Nodes, law: Law) -> Effects:
    is_effect = np.arange(6) == EFFECT
    flat = posterior_of(nodes, Law(law.means, np.where(is_effect, 1e6, law.variances)))
    middles, variances = flat.means[:, EFFECT], flat.variances[:, EFFECT]
    means = np.add.reduceat(flat.shares * middles, nodes.starts)
    apart = (middles - np.repeat(means, nodes.counts)) ** 2
    errors = np.sqrt(np.add.reduceat(flat.shares * (variances + apart), nodes.starts))
    grid = np.arange((means - 6 * errors).min() - 6.0, (means + 6 * errors).max() + 6.0, STEP)
    likelihood = []
    for start, count in zip(nodes.starts, nodes.counts, strict=True):
        kept = np.flatnonzero(flat.shares[start : start + count] > 1e-4) + start
        heights = np.exp(-0.5 * (grid - middles[kept, None]) ** 2 / variances[kept, None])
        likelihood.append(flat.shares[kept] / np.sqrt(variances[kept]) @ heights)
        likelihood[-1] /= likelihood[-1].max()
    return Effects(grid, np.array(likelihood), means, errors**2)


def normal_law(effects: Effects, chosen: np.ndarray, factor: float = 1.0) -> np.ndarray:
    """The normal law of the effects of some studies, with its standard deviation times a factor."""
    means, variances = effects.means[chosen], effects.variances[chosen]
    centre, variance = np.average(means, weights=1 / (variances + 25.0)), 25.0
    for _ in range(20):
        weights = 1 / (variances + variance)
        centre = np.average(means, weights=weights)
        variance = max(np.average((means - centre) ** 2 - variances, weights=weights**2), 4.0)
    heights = np.exp(-0.5 * (effects.grid - centre) ** 2 / (factor**2 * variance))
    return heights / heights.sum()


def free_law(effects: Effects, chosen: np.ndarray, width: float, steps: int) -> np.ndarray:
    """A law of the effects of any shape, found by expectation-maximisation and smoothed."""
    likelihood, count = effects.likelihood[chosen], len(effects.grid)
    law = 0.5 * normal_law(effects, chosen) + 0.5 / count
    for _ in range(steps):
        law = law * (1 / (likelihood @ law) @ likelihood) / len(likelihood)
    kernel = np.exp(-0.5 * ((effects.grid[:, None] - effects.grid) / width) ** 2)
    return kernel @ (law / kernel.sum(axis=0))


def tried_laws(effects: Effects, chosen: np.ndarray) -> np.ndarray:
    normal = normal_law(effects, chosen)
    laws = np.array([normal, *(free_law(effects, chosen, *shape) for shape in SHAPES)])
    return 0.97 * laws + 0.03 * (0.9 * normal + 0.1 / len(effects.grid))


def law_of_effects(effects: Effects) -> np.ndarray:
    """The laws that are tried, weighed by how well each predicts studies that it has not seen."""
    count, size = len(effects.means), len(effects.grid)
    everything = np.ones(count, dtype=bool)
    if count < FEW:
        return 0.8 * normal_law(effects, everything, 1.3) + 0.2 / size
    folds = np.random.default_rng(0).permutation(np.arange(count) % FOLDS)
    fits = np.zeros(1 + len(SHAPES))
    for fold in range(FOLDS):
        laws = tried_laws(effects, folds != fold)
        fits += np.log(effects.likelihood[folds == fold] @ laws.T).sum(axis=0)
    weights = np.exp(fits - fits.max())
    return weights / weights.sum() @ tried_laws(effects, everything)


def analyse_all(studies: dict[str, Rows]) -> dict[str, Found]:
    """The posterior mean and interval of each study's effect, under the laws learnt from all of them."""
    nodes = all_nodes(studies)
    effects = effects_of(nodes, learn(nodes))
    chances = effects.likelihood * law_of_effects(effects)
    chances /= chances.sum(axis=1, keepdims=True)
    found = {}
    for name, chance in zip(studies, chances, strict=True):
        low, high = np.interp([0.025, 0.975], np.cumsum(chance) - chance / 2, effects.grid)
        found[name] = (float(chance @ effects.grid), float(low), float(high))
    return found
