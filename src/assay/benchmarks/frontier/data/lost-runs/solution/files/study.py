"""Medians over all jobs that could have ended, from a law of losses and failures learnt from all studies.

The log of the loss that a job would reach is normal, with one spread in all studies. A job fails the likelier
the higher that loss: the chance is a normal distribution function about a limit. Jobs without a line failed
and count as the worst; jobs on broken machines are left out. For each optimiser the posterior of level and
limit on a grid gives that of the median. Spread, softness of the limit and the priors come from all studies.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import NormalDist

import numpy as np

MARGIN = 0.25
OPTIMISERS = ("calm", "bold")
FIRST_SPREAD = 0.45
FIRST_SOFTNESS = 0.2
"""Beliefs on the spread of the log losses and the width of the limit, from the public studies."""
SPREAD_BELIEF = 0.08
SOFTNESS_BELIEF = 0.5
BELIEF = 4.0
"""How many studies the beliefs on the priors count for."""
POINTS = 80
COARSE = 50
"""Points of the grid of levels and of limits, in the end and while the law is sought."""
SOUGHT = 40
"""How many studies the spread and the softness are sought in."""
ROUNDS = 9
FEWEST = 5
"""Jobs with a loss that an optimiser must have."""

Z = np.linspace(-9.0, 9.0, 3601)
NORMAL = np.array([NormalDist().cdf(float(z)) for z in Z])

Rows = list[dict[str, str]]
Found = tuple[float, float, float]


@dataclass(frozen=True)
class Prior:
    """Normal laws of the level and of how far the limit lies above it."""

    level: float
    level_spread: float
    limit: float
    limit_spread: float


FIRST_PRIORS = {"calm": Prior(0.12, 0.25, 2.0, 0.5), "bold": Prior(0.0, 0.35, 1.0, 0.6)}
WIDE_PRIORS = {name: Prior(prior.level, 0.3, prior.limit, 0.7) for name, prior in FIRST_PRIORS.items()}


@dataclass
class Arm:
    """The jobs of one optimiser in one study, and the likelihood of level and limit."""

    logs: np.ndarray
    failed: int
    level: np.ndarray = field(default_factory=lambda: np.zeros(0))
    limit: np.ndarray = field(default_factory=lambda: np.zeros(0))
    likelihood: np.ndarray = field(default_factory=lambda: np.zeros(0))
    top: float = 0.0

    def spread_out(self, spread: float, softness: float, points: int) -> None:
        """Finds the likelihood on the grid; the limit is counted from the level in standard deviations."""
        count, centre = len(self.logs), self.logs.mean()
        share = (self.failed + 0.5) / (self.failed + count + 1)
        self.level = centre + np.linspace(-0.35, 0.4 + 1.5 * share, points)
        limit = centre + np.linspace(-1.0, 2.6, points)
        squares = ((self.logs - centre) ** 2).sum() + count * (self.level - centre) ** 2
        ended = np.log(normal((limit[:, None] - self.logs) / softness) + 1e-12).sum(axis=1)
        self.limit = (limit - self.level[:, None]) / np.hypot(spread, softness)
        fit = (-0.5 * squares / spread**2 - count * np.log(spread))[:, None] + ended
        fit = fit + self.failed * np.log(normal(-self.limit) + 1e-12)
        self.top = float(fit.max())
        self.likelihood = np.exp(fit - self.top)

    def weights(self, prior: Prior) -> np.ndarray:
        """The posterior on the grid, not yet divided by its sum; less than half of the jobs fail."""
        level = np.exp(-0.5 * ((self.level - prior.level) / prior.level_spread) ** 2) / prior.level_spread
        limit = np.exp(-0.5 * ((self.limit - prior.limit) / prior.limit_spread) ** 2) / prior.limit_spread
        return self.likelihood * level[:, None] * limit * (self.limit > 0.02)

    def evidence(self, prior: Prior) -> float:
        step = self.level[1] - self.level[0]
        return self.top + float(np.log(self.weights(prior).sum() * step + 1e-300))


Arms = dict[str, Arm]


def normal(values: np.ndarray) -> np.ndarray:
    """The distribution function of the normal law."""
    return np.interp(values, Z, NORMAL)


def arm_of(rows: Rows, optimiser: str) -> Arm:
    own = [row for row in rows if row["optimiser"] == optimiser]
    losses = [float(row["loss"]) for row in own if row["status"] == "done"]
    return Arm(np.log(losses), int(rows[0]["planned"]) - len(own))


def is_decidable(arms: Arms) -> bool:
    """Whether both optimisers have a median: no more jobs failed than ended."""
    return all(len(arm.logs) >= FEWEST and arm.failed <= len(arm.logs) for arm in arms.values())


def seek_spread(studies: Sequence[Arms]) -> tuple[float, float]:
    """The spread of the log losses and the softness of the limit that fit best, each in turn by parabolas."""

    def value(point: np.ndarray) -> float:
        spread, softness = np.exp(point)
        total = -0.5 * (np.log(spread / FIRST_SPREAD) / SPREAD_BELIEF) ** 2
        total -= 0.5 * (np.log(softness / FIRST_SOFTNESS) / SOFTNESS_BELIEF) ** 2
        for arms in studies:
            for name, arm in arms.items():
                arm.spread_out(spread, softness, COARSE)
                total += arm.evidence(WIDE_PRIORS[name])
        return float(total)

    best = np.log([FIRST_SPREAD, FIRST_SOFTNESS])
    reached, steps = value(best), np.array([0.05, 0.3])
    for _ in range(3):
        for place in (0, 1):
            step = np.where(np.arange(2) == place, steps, 0.0)
            below, above = value(best - step), value(best + step)
            bend = below + above - 2 * reached
            factor = np.clip(0.5 * (below - above) / bend, -2, 2) if bend < -1e-9 else np.sign(above - below)
            found = value(best + factor * step)
            if found > reached:
                best, reached = best + factor * step, found
        steps = 0.6 * steps
    return float(np.exp(best[0])), float(np.exp(best[1]))


def learn_prior(arms: Sequence[Arm], first: Prior) -> Prior:
    """The law of levels and limits of one optimiser over all studies, by expectation-maximisation."""
    prior, count = first, len(arms) + BELIEF
    for _ in range(ROUNDS):
        sums = np.zeros(4)
        for arm in arms:
            weights = arm.weights(prior)
            weights = weights / max(weights.sum(), 1e-300)
            level = weights.sum(axis=1) @ np.stack([arm.level, (arm.level - prior.level) ** 2], axis=1)
            limit = (weights * arm.limit).sum(), (weights * (arm.limit - prior.limit) ** 2).sum()
            sums += [*level, *limit]
        level = (sums[0] + BELIEF * first.level) / count
        limit = (sums[2] + BELIEF * first.limit) / count
        levels = sums[1] - len(arms) * (level - prior.level) ** 2 + BELIEF * first.level_spread**2
        limits = sums[3] - len(arms) * (limit - prior.limit) ** 2 + BELIEF * first.limit_spread**2
        prior = Prior(level, float(np.sqrt(levels / count)), limit, float(np.sqrt(limits / count)))
    return prior


def shifts_of(spread: float, softness: float) -> tuple[np.ndarray, np.ndarray]:
    """How far the median of the log losses lies above the level, for each limit."""
    limits, apart = np.linspace(0, 6, 241), np.linspace(-6 * spread, 6 * spread, 1501)
    density = np.exp(-0.5 * (apart / spread) ** 2)
    density /= density.sum()
    shifts = []
    for limit in limits * np.hypot(spread, softness):
        ended = np.cumsum(density * normal((limit - apart) / softness))
        shifts.append(np.interp(0.5, ended, apart) if ended[-1] > 0.5 else apart[-1])
    return limits, np.array(shifts)


def medians_of(arm: Arm, prior: Prior, shifts: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
    """Equally likely values of the median loss."""
    weights = arm.weights(prior).ravel()
    medians = (arm.level[:, None] + np.interp(arm.limit, *shifts)).ravel()
    kept = weights > weights.max() * 1e-7
    weights, medians = weights[kept], medians[kept]
    order = np.argsort(medians)
    below = (np.cumsum(weights[order]) - weights[order] / 2) / weights.sum()
    return np.exp(np.interp((np.arange(200) + 0.5) / 200, below, medians[order]))


def analyse_all(studies: dict[str, Rows]) -> dict[str, Found | None]:
    """The posterior of bold's median less calm's; None where more jobs failed than ended."""
    arms = {name: {one: arm_of(rows, one) for one in OPTIMISERS} for name, rows in studies.items()}
    good = [own for own in arms.values() if is_decidable(own)]
    spread, softness = seek_spread(good[:: max(1, -(-len(good) // SOUGHT))])
    for own in good:
        for arm in own.values():
            arm.spread_out(spread, softness, POINTS)
    priors = {one: learn_prior([own[one] for own in good], FIRST_PRIORS[one]) for one in OPTIMISERS}
    shifts = shifts_of(spread, softness)
    found: dict[str, Found | None] = dict.fromkeys(studies)
    for name, own in arms.items():
        if is_decidable(own):
            calm, bold = (medians_of(own[one], priors[one], shifts) for one in OPTIMISERS)
            differences = (bold[:, None] - calm).ravel()
            low, high = np.quantile(differences, (0.025, 0.975))
            found[name] = float(differences.mean()), float(low), float(high)
    return found
