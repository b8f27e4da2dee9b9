"""Lives follow Weibull's law; a pump counts only while it is in view; the laws of chance and shape are learnt.

The chances to reach the age and the shapes of all makes of all studies come from two laws of free form, which
expectation-maximisation with a little smoothing finds from all files together. The interval is the posterior one.
"""

from __future__ import annotations

import numpy as np

MARGIN = 12.0
AGE = 100.0
STEP = 0.005
CHANCES = np.arange(0.02, 0.981, STEP)
"""Chances of a new pump to reach the age."""
SHAPES = np.linspace(np.log(0.8), np.log(5.0), 40)
"""Logarithms of the shape of Weibull's law."""
ROUNDS = 50
CHANCE_WIDTH = 0.004
SHAPE_WIDTH = 0.07
"""How far the laws are smoothed when there are many studies."""
FEW = 16.0
MORE_WIDTH = 0.015
WIDEST = 10.0
"""With so few studies the chances are smoothed by this much more; at most by so many times more."""
EVEN = 1.0
"""The weight of an even law beside the makes of the studies."""

Rows = list[dict[str, str]]
Found = tuple[float, float, float]


def likelihood_of(rows: Rows, make: str) -> np.ndarray:
    """The likelihood of each shape and each chance, from the times in view in units of the age."""
    own = [row for row in rows if row["make"] == make]
    begin = np.array([float(row["taken_over"]) for row in own]) / AGE
    end = np.array([float(row["last_age"]) for row in own]) / AGE
    failed = np.array([row["failed"] == "1" for row in own], dtype=bool)
    shapes, hazards = np.exp(SHAPES), -np.log(CHANCES)
    time = (end[:, None] ** shapes - begin[:, None] ** shapes).sum(axis=0)
    by_shape = failed.sum() * SHAPES + (shapes - 1) * np.log(end[failed]).sum()
    logs = by_shape[:, None] + failed.sum() * np.log(hazards) - time[:, None] * hazards
    likelihood: np.ndarray = np.exp(logs - logs.max())
    return likelihood


def smoother(grid: np.ndarray, width: float) -> np.ndarray:
    """The matrix that spreads the weight of each point over its neighbours."""
    near = np.exp(-0.5 * ((grid[:, None] - grid) / width) ** 2)
    spread: np.ndarray = near / near.sum(axis=0)
    return spread


def learn(likelihoods: np.ndarray) -> np.ndarray:
    """The common law of independent shapes and chances, from a likelihood for each make of each study."""
    few = min((2 * FEW / len(likelihoods)) ** 2, WIDEST)
    spread_chance = smoother(CHANCES, CHANCE_WIDTH + MORE_WIDTH * few)
    spread_shape = smoother(SHAPES, SHAPE_WIDTH * (1.0 + few))
    chance = np.full(len(CHANCES), 1.0 / len(CHANCES))
    shape = np.full(len(SHAPES), 1.0 / len(SHAPES))
    flat = likelihoods.reshape(len(likelihoods), -1)
    for _ in range(ROUNDS):
        law = np.outer(shape, chance)
        counts = ((1.0 / (flat @ law.ravel())) @ flat).reshape(law.shape) * law
        chance = spread_chance @ counts.sum(axis=0) + EVEN / len(CHANCES)
        shape = spread_shape @ counts.sum(axis=1) + EVEN / len(SHAPES)
        chance, shape = chance / chance.sum(), shape / shape.sum()
    return np.outer(shape, chance)


def difference_of(oak: np.ndarray, elm: np.ndarray) -> Found:
    """Mean and central 95% of the difference, from the weights of the chances of both makes."""
    weights = np.convolve(elm, oak[::-1])
    weights /= weights.sum()
    effects = 100.0 * STEP * (np.arange(len(weights)) - (len(CHANCES) - 1))
    low, high = np.interp((0.025, 0.975), np.cumsum(weights) - weights / 2, effects)
    return float(weights @ effects), float(low), float(high)


def analyse_all(studies: dict[str, Rows]) -> dict[str, Found]:
    """The posterior mean and interval of each study's number, under the laws learnt from all of them."""
    both = [[likelihood_of(rows, make) for make in ("oak", "elm")] for rows in studies.values()]
    likelihoods = np.array(both).reshape(-1, len(SHAPES), len(CHANCES))
    weights = np.einsum("nsc,sc->nc", likelihoods, learn(likelihoods)).reshape(len(studies), 2, -1)
    return {name: difference_of(oak, elm) for name, (oak, elm) in zip(studies, weights, strict=True)}
