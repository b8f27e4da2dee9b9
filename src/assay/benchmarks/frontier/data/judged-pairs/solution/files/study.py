"""One logistic model of preference, order and length, with its laws learnt from all studies of the folder.

The judges of a pair agree, so a pair counts once. How strongly order and length pull the judges of a study comes from
one normal law, and the true number from a mixture of normal laws. Expectation-maximisation finds both laws from all
studies; the interval is the posterior one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

MARGIN = 0.5
WEAK_MEAN = np.array([0.0, 1.0, 0.8])
WEAK_SPREAD = np.array([2.0, 0.6, 0.4])
"""A weak law of the true number and of the two pulls, which keeps the first fit of a study finite."""
BELIEF_MEAN = np.array([0.0, 1.1, 0.8])
BELIEF_SPREAD = np.diag([1.0, 0.09, 0.04])
MEAN_WEIGHT = 0.2
SPREAD_WEIGHT = 4.0
"""The belief about the law before the first study is seen, and how many studies its two parts count for."""
FEW_STUDIES = 60
COMPONENTS = 8
FURTHEST = 2.0
"""From so many studies on the law of the true numbers has so many parts, which start between -2 and 2."""
FEW_VARIANCE = 0.8
MANY_VARIANCE = 0.02
VARIANCE_WEIGHT = 4.0
"""The belief about the variance of a part, with few and with many studies, and how many studies it counts for."""
NODES = 33
REACH = 5.0
"""The likelihood of a study is computed at so many true numbers, up to so many standard errors from the first fit."""
GRID_STEP = 0.01
FIT_STEPS = 12
LAW_STEPS = 60
EFFECT_STEPS = 300
ROUNDS = 2

Rows = list[dict[str, str]]
Found = tuple[float, float, float]


@dataclass
class Study:
    """The columns of the pairs, the share of votes for new, and the first fit with its covariance."""

    x: np.ndarray
    won: np.ndarray
    fit: np.ndarray
    covariance: np.ndarray

    @property
    def error(self) -> float:
        return float(np.sqrt(self.covariance[0, 0]))

    @property
    def nodes(self) -> np.ndarray:
        """The true numbers at which the likelihood is computed."""
        found: np.ndarray = self.fit[0] + self.error * np.linspace(-REACH, REACH, NODES)
        return found


@dataclass
class Law:
    """The normal law of the pulls of order and length."""

    mean: np.ndarray
    spread: np.ndarray


@dataclass
class Profile:
    """Of each node: the log-likelihood of the study, and the pulls with their covariance."""

    fits: np.ndarray
    pulls: np.ndarray
    covariance: np.ndarray


def chance_of(odds: np.ndarray) -> np.ndarray:
    found: np.ndarray = 1.0 / (1.0 + np.exp(-np.clip(odds, -40.0, 40.0)))
    return found


def read_study(rows: Rows) -> Study:
    pairs: dict[str, tuple[list[float], list[float]]] = {}
    for row in rows:
        order = 0.5 if row["first"] == "new" else -0.5
        longer = float(row["words_new"]) - float(row["words_old"])
        _, votes = pairs.setdefault(row["pair"], ([1.0, order, longer], []))
        votes.append(float(row["preferred"] == "new"))
    x = np.array([columns for columns, _ in pairs.values()])
    won = np.array([sum(votes) / len(votes) for _, votes in pairs.values()])
    fit, precision = WEAK_MEAN, np.diag(WEAK_SPREAD**-2.0)
    for _ in range(FIT_STEPS):
        chance = chance_of(x @ fit)
        curve = x.T @ (x * (chance * (1.0 - chance))[:, None]) + precision
        step = np.linalg.solve(curve, x.T @ (won - chance) - precision @ (fit - WEAK_MEAN))
        fit = fit + step * min(1.0, 1.5 / max(float(np.abs(step).max()), 1e-9))
    return Study(x, won, fit, np.linalg.inv(curve))


def first_law(studies: list[Study]) -> Law:
    """The law of the pulls as if the likelihoods and the law of the true numbers were normal."""
    weak = np.diag(WEAK_SPREAD**-2.0)
    precisions = np.array([np.linalg.inv(study.covariance) for study in studies])
    fits = np.array([study.fit for study in studies])
    data = np.einsum("npq,nq->np", precisions, fits) - weak @ WEAK_MEAN
    mean, spread = WEAK_MEAN, np.diag(WEAK_SPREAD**2)
    for _ in range(LAW_STEPS):
        precision = np.linalg.inv(spread)
        covariance = np.linalg.inv(precisions - weak + precision)
        centres = np.einsum("npq,nq->np", covariance, data + precision @ mean)
        mean = (MEAN_WEIGHT * BELIEF_MEAN + centres.sum(axis=0)) / (MEAN_WEIGHT + len(studies))
        apart = centres - mean
        total = SPREAD_WEIGHT * BELIEF_SPREAD + apart.T @ apart + covariance.sum(axis=0)
        spread = total / (SPREAD_WEIGHT + len(studies))
    return Law(mean[1:], spread[1:, 1:])


def profile_of(study: Study, law: Law) -> Profile:
    """Laplace's approximation of the integral over the pulls, at each node."""
    nodes, columns = study.nodes[:, None], study.x[:, 1:]
    products = (columns[:, :, None] * columns[:, None, :]).reshape(-1, 4)
    precision = np.linalg.inv(law.spread)
    slopes = study.covariance[0, 1:] / study.covariance[0, 0]
    pulls = study.fit[1:] + (nodes - study.fit[0]) * slopes
    for _ in range(5):
        chance = chance_of(nodes + pulls @ columns.T)
        curve = ((chance * (1.0 - chance)) @ products).reshape(-1, 2, 2) + precision
        covariance = np.linalg.inv(curve)
        slope = (study.won - chance) @ columns - (pulls - law.mean) @ precision
        step = np.einsum("npq,nq->np", covariance, slope)
        pulls = pulls + np.clip(step, -1.0, 1.0)
        if np.abs(step).max() < 1e-4:
            break
    odds, apart = nodes + pulls @ columns.T, pulls - law.mean
    fits = odds @ study.won - np.logaddexp(0.0, odds).sum(axis=1)
    fits += 0.5 * np.log(np.linalg.det(covariance)) - 0.5 * ((apart @ precision) * apart).sum(axis=1)
    return Profile(fits, pulls, covariance)


def likelihood_of(study: Study, profile: Profile, grid: np.ndarray) -> np.ndarray:
    """The likelihood at each point of the common grid: a normal one times a factor that changes slowly."""

    def normal(points: np.ndarray) -> np.ndarray:
        found: np.ndarray = -0.5 * ((points - study.fit[0]) / study.error) ** 2
        return found

    fits = normal(grid) + np.interp(grid, study.nodes, profile.fits - normal(study.nodes))
    found: np.ndarray = np.exp(fits - fits.max())
    return found


def effect_law(likelihood: np.ndarray, grid: np.ndarray) -> np.ndarray:
    """The chances of the points of the grid, by a mixture of normal laws that fits all studies."""
    few = len(likelihood) < FEW_STUDIES
    belief = VARIANCE_WEIGHT * (FEW_VARIANCE if few else MANY_VARIANCE)
    means = np.zeros(1) if few else np.linspace(-FURTHEST, FURTHEST, COMPONENTS)
    variances, shares = np.full(len(means), 1.0 if few else 0.1), np.full(len(means), 1.0 / len(means))
    for _ in range(EFFECT_STEPS):
        parts = shares / np.sqrt(variances) * np.exp(-0.5 * (grid[:, None] - means) ** 2 / variances) + 1e-300
        law = parts.sum(axis=1)
        counts = law * ((1.0 / (likelihood @ law)) @ likelihood)
        weights = (counts / law)[:, None] * parts
        sums = weights.sum(axis=0)
        means = grid @ weights / (sums + 0.1)
        squares = (weights * (grid[:, None] - means) ** 2).sum(axis=0)
        variances = (squares + belief) / (sums + VARIANCE_WEIGHT)
        shares = (sums + 1.0) / (sums + 1.0).sum()
    return law / law.sum()


def new_law(studies: list[Study], profiles: list[Profile], grid: np.ndarray, posterior: np.ndarray) -> Law:
    """The law of the pulls, given the posterior of the true numbers."""
    pulls = np.array([profile.pulls for profile in profiles])
    weights = []
    for study, chances in zip(studies, posterior, strict=True):
        between = (study.nodes[1:] + study.nodes[:-1]) / 2.0
        weights.append(np.diff(np.interp(between, grid, np.cumsum(chances)), prepend=0.0, append=1.0))
    weight = np.array(weights)
    count = len(studies)
    mean = (MEAN_WEIGHT * BELIEF_MEAN[1:] + np.einsum("nk,nkp->p", weight, pulls)) / (MEAN_WEIGHT + count)
    apart = pulls - mean
    total = SPREAD_WEIGHT * BELIEF_SPREAD[1:, 1:] + np.einsum("nk,nkp,nkq->pq", weight, apart, apart)
    total += np.einsum("nk,nkpq->pq", weight, np.array([profile.covariance for profile in profiles]))
    return Law(mean, total / (SPREAD_WEIGHT + count))


def analyse_all(studies: dict[str, Rows]) -> dict[str, Found]:
    """The posterior mean and interval of each study's number, under the laws learnt from all of them."""
    known = [read_study(rows) for rows in studies.values()]
    law = first_law(known)
    edges = np.array([study.nodes[[0, -1]] for study in known])
    grid = np.arange(edges.min(), edges.max(), GRID_STEP)
    for _ in range(ROUNDS):
        profiles = [profile_of(study, law) for study in known]
        likelihood = np.array([likelihood_of(*both, grid) for both in zip(known, profiles, strict=True)])
        posterior = likelihood * effect_law(likelihood, grid)
        posterior /= posterior.sum(axis=1, keepdims=True)
        law = new_law(known, profiles, grid, posterior)
    found = {}
    for name, chances in zip(studies, posterior, strict=True):
        low, high = np.interp([0.025, 0.975], np.cumsum(chances) - chances / 2.0, grid)
        found[name] = (float(chances @ grid), float(low), float(high))
    return found
