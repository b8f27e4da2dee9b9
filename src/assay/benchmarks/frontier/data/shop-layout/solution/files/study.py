"""The change of each shop since day 0, regressed on layout and level, with the laws learnt from all studies.

What is spent at a visit is the level of the shop plus that of the shopper plus noise. From day 0 on a shop
changes by the season, by something of its own and, if it is rebuilt, by the effect, which may differ by shop.
Season and effect may also depend on the level of the shop. How much each of these varies is found from all
studies of the folder, apart for few and for many shops, and the effects may have any law on a grid.
The interval is the posterior one.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

MARGIN = 2.5
VISIT_GRID = np.arange(1.4, 3.01, 0.1)
SHOPPER_GRID = np.array([0.0, 0.5, 0.8, 1.0, 1.2, 1.4, 1.6, 1.8, 2.0, 2.3, 2.6, 3.0])
NOISES = np.array([(visit**2, shopper**2) for visit in VISIT_GRID for shopper in SHOPPER_GRID])
"""Variances of the visits of a shopper, and of the shoppers of a shop, in pairs."""
OWN_GRID = (0.0, 0.4, 0.8, 1.2, 1.6, 2.0, 2.5, 3.0, 3.6, 4.5)
UNLIKE_GRID = (0.0, 0.4, 0.8, 1.2, 1.6, 2.0, 2.5, 3.0, 3.6, 4.5, 5.5)
OWN, UNLIKE = (grid.ravel()[:, None] ** 2 for grid in np.meshgrid(OWN_GRID, UNLIKE_GRID, indexing="ij"))
"""Variances of what shops change by themselves, and of the effect between shops, in pairs."""
EFFECTS, WIDTH = np.arange(-12.0, 12.01, 0.6), 0.4
"""The law of the effects is a mixture of normal laws with these means and this standard deviation."""
EFFECT, WIDE = 2, 20.0
"""Place of the effect among the coefficients, and its spread before the law of the effects is used."""
USUAL = np.array([1.2, 0.08, WIDE, 0.08])
"""Standard deviations of season, slope, effect and slope of the effect, as far as few studies tell."""
MANY = 16
TURNS, STEPS, NOISE_STEPS = 4, 20, 60
NORMAL_GRID = np.linspace(-6.0, 6.0, 241)
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
class Fits:
    """Level and change of each shop, their variances and covariance, and the log likelihood of each study."""

    level: np.ndarray
    change: np.ndarray
    level_variance: np.ndarray
    change_variance: np.ndarray
    covariance: np.ndarray
    heights: np.ndarray


@dataclass
class Shops:
    """The shops of a study: change of each, variance of its error, level, and whether it was rebuilt."""

    change: np.ndarray
    variance: np.ndarray
    level: np.ndarray
    is_new: np.ndarray

    def columns(self) -> np.ndarray:
        return np.column_stack([np.ones(len(self.level)), self.level, self.is_new, self.is_new * self.level])


@dataclass
class Law:
    """Means and spreads of the coefficients, shares of the pairs (few, many shops) and of the effects."""

    means: np.ndarray
    spreads: np.ndarray
    pairs: np.ndarray
    effects: np.ndarray


@dataclass
class Reading:
    """What a study says under each pair: likelihood by effect, coefficients, and the mean over its shops."""

    likelihood: np.ndarray
    coefficients: np.ndarray
    variances: np.ndarray
    effect: np.ndarray
    effect_variance: np.ndarray
    offset: np.ndarray
    """The mean over shops is this plus the slope times the effect, with an error of the variance `rest`."""
    slope: np.ndarray
    rest: np.ndarray


def visits_of(studies: dict[str, Rows]) -> Visits:
    """The sums of all studies."""
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


def fits_of(visits: Visits, visit: np.ndarray, shopper: np.ndarray) -> Fits:
    """Least squares in each shop, with the two variances of each study."""
    count, late, total = visits.by_shopper
    study_of_card = visits.study_of[visits.shop_of]
    ratios = (shopper / visit)[study_of_card]
    weights = ratios / (1 + count * ratios)
    pairs = ((count, count), (count, late), (late, late), (count, total), (late, total), (total, total))
    common = [np.bincount(visits.shop_of, weights * one * other) for one, other in pairs]
    sums = visits.by_shop[[0, 1, 1, 2, 3, 4]]
    ones, crossed, after, all_spent, late_spent, squares = (sums - common) / visit[visits.study_of]
    ones, after = ones + 1e-6, after + 1e-6
    determinant = ones * after - crossed**2
    level = (after * all_spent - crossed * late_spent) / determinant
    change = (ones * late_spent - crossed * all_spent) / determinant
    misfit = np.log(determinant) + squares - level * all_spent - change * late_spent
    misfit += visits.by_shop[0] * np.log(visit)[visits.study_of]
    heights = np.bincount(visits.study_of, misfit) + np.bincount(study_of_card, np.log1p(count * ratios))
    level_variance, change_variance, covariance = np.array([after, ones, -crossed]) / determinant
    return Fits(level, change, level_variance, change_variance, covariance, -0.5 * heights)


def best_fits(visits: Visits, studies: int) -> Fits:
    """The fits with the posterior means of each study's two variances, whose law is learnt from all."""
    tried = [fits_of(visits, *np.repeat(noise[:, None], studies, axis=1)) for noise in NOISES]
    heights = np.array([fits.heights for fits in tried]).T
    likelihoods = np.exp(heights - heights.max(axis=1, keepdims=True))
    shares = np.full(len(NOISES), 1 / len(NOISES))
    for _ in range(NOISE_STEPS):
        chances = likelihoods * shares
        chances /= chances.sum(axis=1, keepdims=True)
        shares = (chances.sum(axis=0) + 3 / len(NOISES)) / (studies + 3)
    chances = likelihoods * shares
    return fits_of(visits, *(chances @ NOISES / chances.sum(axis=1, keepdims=True)).T)


def shops_of(fits: Fits, is_new: np.ndarray, place: np.ndarray) -> Shops:
    """The shops of one study, with levels drawn to their mean and changes corrected for that."""
    level, variance, covariance = fits.level[place], fits.level_variance[place], fits.covariance[place]
    is_known = variance < 50
    spread = max(4.0, level[is_known].var(ddof=1) - variance[is_known].mean())
    distance, drawn = level - level[is_known].mean(), variance / (spread + variance)
    change = fits.change[place] - covariance / variance * drawn * distance
    change_variance = fits.change_variance[place] - covariance**2 / (variance + spread)
    kept = (1 - drawn) * distance
    return Shops(change, change_variance, kept - kept.mean(), is_new[place])


def reading_of(shops: Shops, law: Law) -> Reading:
    """The regression of the changes under each pair of variances."""
    columns, count = shops.columns(), len(shops.change)
    variances = shops.variance + OWN + UNLIKE * shops.is_new
    weights, prior = 1 / variances, 1 / law.spreads**2
    products = (columns[:, :, None] * columns[:, None, :]).reshape(count, -1)
    covariances = np.linalg.inv((weights @ products).reshape(-1, 4, 4) + np.diag(prior))
    pulls = (weights * shops.change) @ columns + prior * law.means
    found = np.einsum("gij,gj->gi", covariances, pulls)
    heights = (found * pulls).sum(axis=1) - np.log(variances).sum(axis=1) - weights @ shops.change**2
    heights = 0.5 * (heights + np.linalg.slogdet(covariances)[1])
    own = shops.is_new * UNLIKE * weights
    averaging = np.eye(4)[EFFECT] - own @ columns / count
    together = np.einsum("gij,gj->gi", covariances, averaging)
    mean = own @ shops.change / count + (averaging * found).sum(axis=1)
    variance = (averaging * together).sum(axis=1) + (UNLIKE * (1 - own)).sum(axis=1) / count**2
    effect, effect_variance = found[:, EFFECT], covariances[:, EFFECT, EFFECT]
    slope = together[:, EFFECT] / effect_variance
    offset, rest = mean - slope * effect, np.maximum(variance - slope**2 * effect_variance, 1e-9)
    alone_variance = 1 / (1 / effect_variance - 1 / WIDE**2)
    alone = effect / effect_variance * alone_variance
    likelihood = likelihood_of(heights, alone, alone_variance)
    coefficient_variances = np.diagonal(covariances, axis1=1, axis2=2)
    return Reading(likelihood, found, coefficient_variances, alone, alone_variance, offset, slope, rest)


def likelihood_of(heights: np.ndarray, effect: np.ndarray, variance: np.ndarray) -> np.ndarray:
    """How likely the study is for each pair and effect, without the wide law that the heights suppose."""
    wide = WIDE**2 + variance
    heights = heights + 0.5 * np.log(wide) + 0.5 * effect**2 / wide
    narrow = variance[:, None] + WIDTH**2
    logs = heights[:, None] - 0.5 * np.log(narrow) - 0.5 * (effect[:, None] - EFFECTS) ** 2 / narrow
    return np.exp(logs - logs.max())


def improved(likelihoods: np.ndarray, size: np.ndarray, law: Law) -> Law:
    """One step of expectation-maximisation for the shares; likelihoods has a table for each study."""
    chances = likelihoods * law.effects * law.pairs[size][:, :, None]
    chances /= chances.sum(axis=(1, 2), keepdims=True)
    by_pair, count = chances.sum(axis=2), len(size)
    usual = (by_pair.sum(axis=0) + 4 / len(OWN)) / (count + 4)
    pairs = [(by_pair[size == one].sum(axis=0) + 15 * usual) / ((size == one).sum() + 15) for one in (0, 1)]
    effects = chances.sum(axis=(0, 1)) + 3 / len(EFFECTS)
    effects = np.convolve(np.pad(effects, 1, mode="edge"), [0.05, 0.9, 0.05], "valid")
    return Law(law.means, law.spreads, np.array(pairs), effects / effects.sum())


def with_coefficients(readings: list[Reading], size: np.ndarray, law: Law) -> Law:
    """Means and spreads of the coefficients of all studies."""
    count, sums, squares = len(readings), np.zeros(4), np.zeros(4)
    for one, reading in zip(size, readings, strict=True):
        chances = reading.likelihood @ law.effects * law.pairs[one]
        chances /= chances.sum()
        sums += chances @ reading.coefficients
        squares += chances @ (reading.variances + reading.coefficients**2)
    means = sums / (count + 3)
    squares = np.maximum(squares - 2 * means * sums + count * means**2, 0)
    spreads = np.sqrt((squares + 3 * USUAL**2) / (count + 3))
    means[EFFECT], spreads[EFFECT] = 0.0, WIDE
    return Law(means, spreads, law.pairs, law.effects)


def learn(studies: list[Shops], size: np.ndarray) -> Law:
    """The laws of all studies."""
    pairs, effects = np.full((2, len(OWN)), 1 / len(OWN)), np.full(len(EFFECTS), 1 / len(EFFECTS))
    law = Law(np.zeros(4), np.array([1.2, 0.1, WIDE, 0.1]), pairs, effects)
    for _ in range(TURNS):
        readings = [reading_of(shops, law) for shops in studies]
        likelihoods = np.array([reading.likelihood for reading in readings])
        for _ in range(STEPS):
            law = improved(likelihoods, size, law)
        law = with_coefficients(readings, size, law)
    return law


def posterior_of(reading: Reading, pairs: np.ndarray, effects: np.ndarray) -> Found:
    """Mean and interval of the effect, averaged over the shops of the study."""
    chances = reading.likelihood * effects * pairs[:, None]
    kept = chances > 1e-6 * chances.sum()
    variance = 1 / (1 / reading.effect_variance + 1 / WIDTH**2)[:, None]
    means = variance * ((reading.effect / reading.effect_variance)[:, None] + EFFECTS / WIDTH**2)
    means = reading.offset[:, None] + reading.slope[:, None] * means
    errors = np.sqrt(reading.rest[:, None] + reading.slope[:, None] ** 2 * variance) + 0 * means
    chances, means, errors = chances[kept] / chances[kept].sum(), means[kept], errors[kept]
    mean = float(chances @ means)
    spread = float(np.sqrt(chances @ (errors**2 + (means - mean) ** 2)))
    grid = mean + spread * np.linspace(-6.0, 6.0, 121)
    below = np.interp((grid[:, None] - means) / errors, NORMAL_GRID, NORMAL) @ chances
    low, high = np.interp([0.025, 0.975], below, grid)
    return mean, float(low), float(high)


def analyse_all(studies: dict[str, Rows]) -> dict[str, Found]:
    """The posterior mean and interval of each study's effect, under the laws learnt from all of them."""
    visits = visits_of(studies)
    fits = best_fits(visits, len(studies))
    shops = [shops_of(fits, visits.is_new, visits.study_of == number) for number in range(len(studies))]
    size = np.array([int(len(own.change) >= MANY) for own in shops])
    law = learn(shops, size)
    return {
        name: posterior_of(reading_of(own, law), law.pairs[one], law.effects)
        for name, own, one in zip(studies, shops, size, strict=True)
    }
