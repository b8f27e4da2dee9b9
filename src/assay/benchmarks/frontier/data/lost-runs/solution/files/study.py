"""Medians over all jobs that could have ended, from a law of losses and failures learnt from all studies.

The log of the loss that a job would reach lies about a level of the study by a density that all studies share. A job
fails the likelier the higher that loss, by a logistic curve. Jobs without a line failed and count as the worst; jobs
on broken machines are left out. Expectation-maximisation over all studies finds the density, the laws of the levels
and the law of slopes and shares of failures; the posterior on their grid gives that of each median.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

MARGIN = 0.25
OPTIMISERS = ("calm", "bold")
WIDTH = 0.02
"""Step of the grids of log losses and of levels."""
APART = np.arange(-113, 114) * WIDTH
"""The log loss less the level."""
PLACES = np.arange(-22, 61)
"""Places of the level, counted from the median of the jobs that ended."""
FAILED = np.r_[0.003, 0.008, 0.015, 0.025, 0.04, 0.055, 0.07, 0.09, np.arange(0.11, 0.43, 0.02)]
FAILED = np.r_[FAILED, np.arange(0.43, 0.6, 0.015), np.arange(0.61, 0.97, 0.03)]
"""Shares of jobs that fail."""
SLOPES = np.array([-1.3, 0.0, 0.4, 0.8, 1.3, 2.0, 3.0, 5.0, 9.0])
"""How much likelier a failure is, in log odds, for a loss that is one standard deviation higher."""
FIRST_SPREAD = 0.42
FIRST_LEVEL, FIRST_LEVEL_SPREAD = 0.1, 0.4
STEPS, EARLY = 18, 3
"""Steps of the search, and how many of them keep the first density."""
MANY = 60
"""Number of studies from which on the laws are smoothed little."""
BELIEF = 3.0
"""How many studies the first law of the failures counts for."""
DRAWS = 6000

Rows = list[dict[str, str]]
Found = tuple[float, float, float]


@dataclass
class Arm:
    """The jobs of one optimiser in one study, counted in the cells about each possible level."""

    levels: np.ndarray
    counts: np.ndarray
    outside: np.ndarray
    """How many jobs that ended lie in no cell."""
    failed: int


Arms = dict[str, Arm]


@dataclass(frozen=True)
class Normal:
    mean: float
    spread: float


@dataclass(frozen=True)
class Laws:
    """What the studies have in common."""

    density: np.ndarray
    """Share of the jobs in each cell about the level."""
    shares: dict[str, np.ndarray]
    """How often each slope and share of failures occurs."""
    levels: dict[str, Normal]
    tie: float = 0.0
    """How far the level of the second optimiser follows that of the first."""


@dataclass
class Sums:
    """What the posteriors of all studies add up to."""

    shares: dict[str, np.ndarray]
    means: dict[str, list[float]] = field(default_factory=lambda: {one: [] for one in OPTIMISERS})
    squares: dict[str, float] = field(default_factory=lambda: dict.fromkeys(OPTIMISERS, 0.0))
    ended: np.ndarray = field(default_factory=lambda: np.zeros(len(APART)))
    failed: np.ndarray = field(default_factory=lambda: np.zeros((len(SLOPES), len(FAILED))))


def arm_of(rows: Rows, optimiser: str) -> Arm:
    own = [row for row in rows if row["optimiser"] == optimiser]
    logs = np.log([float(row["loss"]) for row in own if row["status"] == "done"])
    centre = float(np.median(logs)) if len(logs) else 0.0
    margin = max(-PLACES[0], PLACES[-1])
    size, middle = len(APART) + 2 * margin, margin + len(APART) // 2
    cells = (logs - centre) / WIDTH + middle
    lower = np.clip(np.floor(cells).astype(int), 0, size - 2)
    histogram, above = np.zeros(size), cells - np.floor(cells)
    np.add.at(histogram, lower, 1 - above)
    np.add.at(histogram, lower + 1, above)
    counts = np.array([histogram[margin + place :][: len(APART)] for place in PLACES])
    outside = len(logs) - counts.sum(axis=1)
    return Arm(centre + PLACES * WIDTH, counts.astype(np.float32), outside, int(rows[0]["planned"]) - len(own))


def spread_of(density: np.ndarray) -> float:
    mean = density @ APART
    return float(np.sqrt(density @ (APART - mean) ** 2))


def chances_of(density: np.ndarray) -> np.ndarray:
    """The chance of a failure for each slope, share of failures and cell."""
    slopes = (SLOPES[:, None] * APART / spread_of(density))[:, None]
    low = np.full((len(SLOPES), len(FAILED)), -80.0)
    high = -low
    for _ in range(32):
        middle = (low + high) / 2
        chances: np.ndarray = 1 / (1 + np.exp(-np.clip(middle[..., None] + slopes, -60, 60)))
        below = chances @ density < FAILED
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    return chances


def medians_of(density: np.ndarray, chances: np.ndarray) -> np.ndarray:
    """How far the median lies above the level, for each slope and share of failures; nothing where it is not."""
    ended = np.cumsum(density * (1 - chances), axis=-1)
    medians = np.full(ended.shape[:2], np.nan)
    for place in np.ndindex(medians.shape):
        if FAILED[place[1]] < 0.5:
            medians[place] = np.interp(0.5, ended[place], APART + WIDTH / 2)
    return medians


def table_of(density: np.ndarray, chances: np.ndarray) -> np.ndarray:
    """The log chance of a job that ends in a cell; one column for each slope and share of failures."""
    logs = np.log(density / WIDTH + 1e-30) + np.log(np.maximum(1 - chances, 1e-12))
    return np.ascontiguousarray(logs.reshape(-1, len(APART)).T, dtype=np.float32)


def posterior_of(arm: Arm, table: np.ndarray, shares: np.ndarray, level: Normal) -> np.ndarray:
    """The chance of each level, slope and share of failures."""
    prior = -40 * arm.outside - 0.5 * ((arm.levels - level.mean) / level.spread) ** 2
    fit = arm.counts @ table
    fit += prior.astype(np.float32)[:, None]
    fit += (arm.failed * np.log(FAILED) + np.log(shares + 1e-12)).ravel().astype(np.float32)
    fit -= fit.max()
    chances: np.ndarray = np.exp(np.maximum(fit, -60, out=fit), out=fit)
    chances /= chances.sum()
    return chances.reshape(-1, *shares.shape)


def posteriors_of(arms: Arms, table: np.ndarray, laws: Laws) -> dict[str, np.ndarray]:
    """The posteriors of both optimisers; the expected level of the first one moves the law of the second."""
    first, second = OPTIMISERS
    found = {first: posterior_of(arms[first], table, laws.shares[first], laws.levels[first])}
    level = found[first].sum(axis=(1, 2)) @ arms[first].levels
    moved = laws.levels[second].mean + laws.tie * (level - laws.levels[first].mean)
    law = Normal(moved, laws.levels[second].spread)
    return found | {second: posterior_of(arms[second], table, laws.shares[second], law)}


def add_up(studies: Sequence[Arms], laws: Laws, chances: np.ndarray) -> Sums:
    """Sums over all studies; the jobs of the first optimiser, of which few fail, show the density."""
    table = table_of(laws.density, chances)
    sums = Sums({one: np.zeros_like(laws.shares[one]) for one in OPTIMISERS})
    for arms in studies:
        for one, posterior in posteriors_of(arms, table, laws).items():
            arm, levels, shares = arms[one], posterior.sum(axis=(1, 2)), posterior.sum(axis=0)
            sums.shares[one] += shares
            sums.means[one].append(float(levels @ arm.levels))
            sums.squares[one] += float(levels @ arm.levels**2)
            if one == OPTIMISERS[0]:
                sums.ended += levels @ arm.counts
                sums.failed += arm.failed * shares / FAILED
    return sums


def density_of(counts: np.ndarray, degree: int) -> np.ndarray:
    """The density whose log is a polynomial, at its highest likelihood for the counts, by Newton's steps."""
    powers = (APART[:, None] / 2) ** np.arange(1, degree + 1)
    target, mean = counts @ powers / counts.sum(), counts @ APART / counts.sum()
    variance = counts @ (APART - mean) ** 2 / counts.sum()
    ridge = np.diag([0.0, 0.0] + [1e-6] * (degree - 2))
    coefficients = np.r_[2 * mean / variance, -2 / variance, np.zeros(degree - 2)]

    def misfit(point: np.ndarray) -> float:
        logs = powers @ point
        penalty = 0.5 * point @ ridge @ point - target @ point
        return float(logs.max() + np.log(np.exp(logs - logs.max()).sum()) + penalty)

    for _ in range(60):
        density = np.exp(powers @ coefficients - (powers @ coefficients).max())
        density /= density.sum()
        expected = density @ powers
        bend = (powers * density[:, None]).T @ powers - np.outer(expected, expected) + ridge
        step = np.linalg.solve(bend + 1e-10 * np.eye(degree), expected - target + ridge @ coefficients)
        reached = misfit(coefficients)
        while misfit(coefficients - step) > reached + 1e-12 and abs(step).max() > 1e-8:
            step = step / 2
        coefficients = coefficients - step
        if abs(step).max() < 1e-7:
            break
    density = np.exp(powers @ coefficients - (powers @ coefficients).max())
    return density / density.sum()


def first_laws() -> Laws:
    density = np.exp(-0.5 * (APART / FIRST_SPREAD) ** 2)
    slopes = np.r_[0.03, np.full(len(SLOPES) - 1, 0.97 / (len(SLOPES) - 1))]
    steps = np.gradient(FAILED)
    shares = {one: np.outer(slopes, steps / steps.sum()) for one in OPTIMISERS}
    return Laws(density / density.sum(), shares, dict.fromkeys(OPTIMISERS, Normal(FIRST_LEVEL, FIRST_LEVEL_SPREAD)))


def shares_of(sums: Sums, first: Laws, count: int) -> dict[str, np.ndarray]:
    """The laws of slopes and shares of failures; the slopes of both optimisers are those that the second shows."""
    calm, bold = OPTIMISERS
    slopes = sums.shares[bold].sum(axis=1) + np.r_[0.05, np.full(len(SLOPES) - 1, 2 / len(SLOPES))]
    totals = {one: sums.shares[one] + BELIEF * first.shares[one] for one in OPTIMISERS}
    totals[calm] = np.outer(slopes, totals[calm].sum(axis=0))
    steps, part, laws = np.gradient(FAILED), min(1.0, MANY / count), {}
    for one, total in totals.items():
        density = total / steps
        for _ in range(2 if count < MANY else 1):
            padded = np.pad(density, ((0, 0), (1, 1)), mode="edge")
            smooth = 0.25 * padded[:, :-2] + 0.5 * padded[:, 1:-1] + 0.25 * padded[:, 2:]
            density = (1 - part) * density + part * smooth
        laws[one] = density * steps / (density * steps).sum()
    return laws


def levels_of(sums: Sums, count: int) -> tuple[dict[str, Normal], float]:
    """The laws of the levels, and how far the second one follows the first."""
    calm, bold = (np.array(sums.means[one]) for one in OPTIMISERS)
    apart = calm - calm.mean()
    tie = float(apart @ bold / (apart @ apart + 0.1))
    laws = {}
    for one, means in zip(OPTIMISERS, (calm, bold), strict=True):
        variance = sums.squares[one] / count - means.mean() ** 2
        if one == OPTIMISERS[1]:
            variance = max(variance - tie**2 * apart.var(), 0.2 * variance)
        laws[one] = Normal(float(means.mean()), float(np.sqrt((count * variance + 2 * 0.25**2) / (count + 2))))
    return laws, tie


def learn_laws(studies: Sequence[Arms]) -> Laws:
    laws, first, count = first_laws(), first_laws(), len(studies)
    for step in range(STEPS):
        chances = chances_of(laws.density)
        sums, density = add_up(studies, laws, chances), laws.density
        if step >= EARLY:
            lost = laws.density * np.einsum("bp,bpu->u", sums.failed, chances)
            density = density_of(sums.ended + lost, 4 if count < MANY else 6)
        laws = Laws(density, shares_of(sums, first, count), *levels_of(sums, count))
    return laws


def draw(arm: Arm, posterior: np.ndarray, medians: np.ndarray, source: np.random.Generator) -> np.ndarray:
    """Medians of the losses, drawn from the posterior, in an order by lot."""
    weights = np.where(np.isnan(medians), 0.0, posterior.astype(float)).ravel()
    below = np.cumsum(weights / max(weights.sum(), 1e-300))
    places = np.searchsorted(below, (np.arange(DRAWS) + 0.5) / DRAWS * below[-1])
    level, slope, failed = np.unravel_index(np.minimum(places, len(weights) - 1), posterior.shape)
    logs = arm.levels[level] + medians[slope, failed] + (source.random(DRAWS) - 0.5) * WIDTH
    return np.exp(source.permutation(logs))


def analyse_all(studies: dict[str, Rows]) -> dict[str, Found | None]:
    """The posterior of the second optimiser's median less the first's; None where one likely does not exist."""
    arms = {name: {one: arm_of(rows, one) for one in OPTIMISERS} for name, rows in studies.items()}
    laws, source = learn_laws(list(arms.values())), np.random.default_rng(1)
    chances = chances_of(laws.density)
    table, medians = table_of(laws.density, chances), medians_of(laws.density, chances)
    found: dict[str, Found | None] = dict.fromkeys(studies)
    for name, own in arms.items():
        posteriors = posteriors_of(own, table, laws)
        if all(posterior[..., FAILED >= 0.5].sum() <= 0.5 for posterior in posteriors.values()):
            calm, bold = (draw(own[one], posteriors[one], medians, source) for one in OPTIMISERS)
            low, middle, high = np.quantile(bold - calm, (0.025, 0.5, 0.975))
            found[name] = float(middle), float(low), float(high)
    return found
