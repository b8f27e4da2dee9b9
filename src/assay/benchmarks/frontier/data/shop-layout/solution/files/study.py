"""The change of each shop since day 0, compared between layouts, with the laws learnt from all studies.

What is spent at a visit is the level of the shop plus that of the shopper plus noise. From day 0 on a shop
changes by the season, by something of its own and, if it is rebuilt, by the effect, which may differ by shop.
How much each of these varies is found from all studies of the folder, and the effects may have any smooth
law. The interval is the posterior one.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

MARGIN = 2.5
OWN_GRID = (0.0, 0.3, 0.6, 0.9, 1.2, 1.6, 2.1, 2.8, 3.7, 5.0)
UNLIKE_GRID = (0.0, 0.4, 0.8, 1.2, 1.7, 2.3, 3.0, 4.0, 5.3, 7.0, 9.0)
OWN, UNLIKE = (grid.ravel()[:, None] for grid in np.meshgrid(OWN_GRID, UNLIKE_GRID, indexing="ij"))
"""Standard deviations of what shops change by themselves, and of the effect between shops, in pairs."""
FIRST_PAIRS = (np.exp(-OWN / 2 - UNLIKE / 3) / np.exp(-OWN / 2 - UNLIKE / 3).sum()).ravel()
STEP = 0.25
EFFECTS = np.arange(-22.0, 22.01, STEP)
FIRST_VARIANCES = (4.4, 2.2)
"""Variance of the visits of a shopper, and of the shoppers of a shop."""
ROUNDS = (0.3, 0.12, 0.05)
FEW = 60
"""With fewer studies the law of the effects is nearly normal."""
TURNS = (12, 12, 35)
SMOOTHING = 0.7
NORMAL_GRID = np.linspace(-8.0, 8.0, 3201)
NORMAL = np.array([NormalDist().cdf(value) for value in NORMAL_GRID])

Rows = list[dict[str, str]]
Found = tuple[float, float, float]


@dataclass
class Visits:
    """Sums over visits: count, count since day 0 and what was spent, of each shopper and of each shop."""

    by_shopper: np.ndarray
    by_shop: np.ndarray
    """Also what was spent since day 0, and the squares."""
    shop_of: np.ndarray
    study_of: np.ndarray
    is_new: np.ndarray


@dataclass
class Shops:
    """The shops of a study: the change of each, the variance of its error, and whether it was rebuilt."""

    change: np.ndarray
    variance: np.ndarray
    is_new: np.ndarray

    def precisions(self) -> np.ndarray:
        return 1 / (self.variance + OWN**2 + UNLIKE**2 * self.is_new)


@dataclass
class Law:
    """Mean and variance of the season, the shares of the pairs, and the law of the effects on the grid."""

    season: tuple[float, float]
    pairs: np.ndarray
    effects: np.ndarray

    def joint(self) -> np.ndarray:
        return self.pairs[:, None] * self.effects


@dataclass
class Table:
    """For each pair and each effect: how likely the study is, and the season that it then had."""

    likelihood: np.ndarray
    season: np.ndarray
    season_variance: np.ndarray


def visits_of(studies: dict[str, Rows]) -> Visits:
    shops: dict[tuple[int, str, bool], int] = {}
    cards: dict[tuple[int, str], int] = {}
    lines = []
    for number, rows in enumerate(studies.values()):
        for row in rows:
            shop = shops.setdefault((number, row["shop"], row["layout"] == "new"), len(shops))
            card = cards.setdefault((shop, row["shopper"]), len(cards))
            lines.append((shop, card, int(row["day"]) >= 0, float(row["spend"])))
    shop_places, card_places, after, spend = np.array(lines, dtype=float).T
    values = [np.ones(len(after)), after, spend, after * spend, spend**2]
    by_shop = [np.bincount(shop_places.astype(int), value) for value in values]
    by_shopper = [np.bincount(card_places.astype(int), value) for value in values[:3]]
    study_of, _, is_new = (np.array(column) for column in zip(*shops, strict=True))
    shop_of = np.array([shop for shop, _ in cards])
    return Visits(np.array(by_shopper), np.array(by_shop), shop_of, study_of, is_new.astype(float))


def changes_of(visits: Visits, visit: float, shopper: float) -> tuple[np.ndarray, np.ndarray, float]:
    """The change of each shop, the variance of its error, and the log likelihood of the two variances."""
    count, late, total = visits.by_shopper
    weights = shopper / (visit + count * shopper)
    pairs = ((count, count), (count, late), (late, late), (count, total), (late, total), (total, total))
    common = [np.bincount(visits.shop_of, weights * one * other) for one, other in pairs]
    sums = visits.by_shop[[0, 1, 1, 2, 3, 4]]
    ones, crossed, after, level, later, squares = (sums - common) / visit
    determinant = ones * after - crossed**2
    is_known = determinant > 1e-9
    determinant = np.where(is_known, determinant, 1.0)
    change = np.where(is_known, (ones * later - crossed * level) / determinant, 0.0)
    start = (after * level - crossed * later) / determinant
    misfit = np.log(determinant) + squares - start * level - change * later
    noise = visits.by_shop[0].sum() * np.log(visit) + np.log1p(count * shopper / visit).sum()
    return change, np.where(is_known, ones / determinant, 1e9), -0.5 * float(noise + misfit[is_known].sum())


def all_shops(visits: Visits, studies: int) -> list[Shops]:
    """The shops of each study, with the two variances that fit all visits best."""
    best = FIRST_VARIANCES
    for width in ROUNDS:
        factors = np.exp(width * np.arange(-2, 3))
        tried = [(best[0] * one, best[1] * other) for one in factors for other in factors]
        best = max(tried, key=lambda pair: changes_of(visits, *pair)[2])
    change, variance, _ = changes_of(visits, *best)
    places = [visits.study_of == number for number in range(studies)]
    return [Shops(change[place], variance[place], visits.is_new[place]) for place in places]


def table_of(shops: Shops, law: Law) -> Table:
    mean, variance = law.season
    precisions = shops.precisions()
    new = (precisions @ shops.is_new)[:, None]
    season_precision = precisions.sum(axis=1)[:, None] + 1 / variance
    pull = (precisions @ shops.change)[:, None] + mean / variance
    heights = np.log(precisions).sum(axis=1) - precisions @ shops.change**2
    heights = heights[:, None] - np.log(season_precision) + pull**2 / season_precision
    slopes = (precisions @ (shops.is_new * shops.change))[:, None] - new * pull / season_precision
    heights = 0.5 * heights + slopes * EFFECTS - 0.5 * (new - new**2 / season_precision) * EFFECTS**2
    season = (pull - new * EFFECTS) / season_precision
    return Table(np.exp(heights - heights.max()), season, 1 / season_precision)


def smoothed(law: np.ndarray, width: float) -> np.ndarray:
    kernel = np.exp(-0.5 * ((EFFECTS[:, None] - EFFECTS) / width) ** 2)
    return kernel @ (law / kernel.sum(axis=0))


def improved(likelihoods: np.ndarray, law: Law) -> Law:
    """One step of expectation-maximisation; likelihoods has a row for each study."""
    count, joint = len(likelihoods), law.joint().ravel().astype(np.float32)
    found = (1 / (likelihoods @ joint) @ likelihoods * joint).reshape(law.joint().shape).astype(float)
    pairs = (found.sum(axis=1) + 5 * FIRST_PAIRS) / (count + 5)
    effects = found.sum(axis=0) / found.sum()
    mean = effects @ EFFECTS
    normal = np.exp(-0.5 * (EFFECTS - mean) ** 2 / max(effects @ (EFFECTS - mean) ** 2, 4.0))
    normal /= normal.sum()
    if count < FEW:
        effects = 0.5 * normal + 0.5 * smoothed(effects, 3.0)
    else:
        effects = 0.03 * normal + 0.97 * smoothed(effects, SMOOTHING)
    return Law(law.season, pairs, effects / effects.sum())


def season_law(tables: list[Table], law: Law) -> tuple[float, float]:
    """Mean and variance of the seasons of all studies."""
    count, joint, sums = len(tables), law.joint(), np.zeros(2)
    for table in tables:
        chances = table.likelihood * joint / (table.likelihood * joint).sum()
        squares = table.season**2 + table.season_variance
        sums += (chances * table.season).sum(), (chances * squares).sum()
    mean, square = sums / count
    return float(mean), max(float(count * (square - mean**2) + 3.0) / (count + 3), 0.05)


def learn(studies: list[Shops]) -> Law:
    """The laws of all studies."""
    normal = np.exp(-0.5 * (EFFECTS / 5) ** 2)
    law = Law((0.0, 1.5), FIRST_PAIRS, normal / normal.sum())
    for steps in TURNS:
        tables = [table_of(shops, law) for shops in studies]
        likelihoods = np.array([table.likelihood.ravel() for table in tables], dtype=np.float32)
        for _ in range(steps if len(studies) >= FEW else 5):
            law = improved(likelihoods, law)
        law = Law(season_law(tables, law), law.pairs, law.effects)
    return law


def posterior_of(shops: Shops, law: Law) -> Found:
    """Mean and interval of the effect, averaged over the shops of the study."""
    table, count = table_of(shops, law), len(shops.change)
    chances = table.likelihood * law.joint()
    kept = chances > 1e-5 * chances.sum()
    own = UNLIKE**2 * shops.precisions() * shops.is_new
    total = own.sum(axis=1)[:, None]
    means = EFFECTS + ((own @ shops.change)[:, None] - total * (EFFECTS + table.season)) / count
    rest = (UNLIKE**2 * (1 - own)).sum(axis=1)[:, None] + total**2 * table.season_variance
    errors = np.sqrt(rest / count**2 + STEP**2 / 12) + 0 * means
    chances, means, errors = chances[kept] / chances[kept].sum(), means[kept], errors[kept]
    mean = float(chances @ means)
    spread = float(np.sqrt(chances @ (errors**2 + (means - mean) ** 2)))
    grid = mean + spread * np.concatenate([np.linspace(-4.0, -1.0, 19), np.linspace(1.0, 4.0, 19)])
    below = np.interp((grid[:, None] - means) / errors, NORMAL_GRID, NORMAL) @ chances
    low, high = np.interp([0.025, 0.975], below, grid)
    return mean, float(low), float(high)


def analyse_all(studies: dict[str, Rows]) -> dict[str, Found]:
    """The posterior mean and interval of each study's effect, under the laws learnt from all of them."""
    shops = all_shops(visits_of(studies), len(studies))
    law = learn(shops)
    return {name: posterior_of(own, law) for name, own in zip(studies, shops, strict=True)}
