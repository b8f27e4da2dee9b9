"""Shrinks the gains of a study towards their mean, with the law of means and spreads learnt from all studies.

The true gains of a study are normal around their mean. How far they spread and where their mean lies has a
law that is found from all studies of the folder; for the spread, studies with a like number of rows and like
noise count more. The best variant is chosen; its interval is the posterior one, over all spreads.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

MARGIN = 0.25
BASELINE_RUNS = 7
SPREADS = np.concatenate([[0.0, 0.015, 0.03, 0.045], np.arange(0.06, 0.4, 0.02), np.arange(0.4, 1.21, 0.05)])
"""Standard deviations of the true gains that are considered."""
PRIOR_SPREADS = np.gradient(SPREADS) * np.exp(-0.5 * (SPREADS / 0.3) ** 2)
PRIOR_SPREADS /= PRIOR_SPREADS.sum()
SPREAD_WEIGHT = 3.0
"""How many studies the belief about spreads counts for before the first study is seen."""
ROUNDS = 40
LIKENESS = 0.2
"""How far studies differ in the logarithms of count and noise if they learn from each other."""
CENTRES = np.linspace(-0.4, 0.4, 81)
WIDTHS = np.exp(np.linspace(math.log(0.1), math.log(1.2), 40))
"""Means and standard deviations of the law of mean gains that are considered."""
CENTRE_ERROR, USUAL_WIDTH, WIDTH_ERROR = 0.15, 0.35, 0.4
"""Weak beliefs about both."""
HALVINGS = 30

Rows = list[dict[str, str]]
Found = tuple[float, float, float, str]


@dataclass
class Moments:
    """What matters of each study, as columns with one line for each study."""

    count: np.ndarray
    """The number of rows."""
    variants: np.ndarray
    noise: np.ndarray
    """The variance of the noise of a mean score."""
    middle: np.ndarray
    """The mean gain of all variants."""
    squares: np.ndarray
    """The sum of squared distances from it."""
    lead: np.ndarray
    """How far the best variant lies above it."""

    @property
    def common(self) -> np.ndarray:
        """The variance of the error that all gains of a study share or that remains in their mean."""
        return self.noise * (1 / BASELINE_RUNS + 1 / self.variants)


def moments_of(rows: Rows) -> tuple[str, list[float]]:
    """The best variant and the numbers of one study; one run has the same noise in every system."""
    names = [name for name in rows[0] if name not in ("item", "baseline")]
    scores = np.array([[float(row[name]) for name in names] for row in rows])
    baseline = np.array([float(row["baseline"]) for row in rows])
    count, variants = scores.shape
    residuals = scores - scores.mean(axis=1, keepdims=True)
    residuals -= residuals.mean(axis=0)
    behind = baseline - scores.mean(axis=1)
    behind -= behind.mean()
    total = (residuals**2).sum() + (behind**2).sum() / (1 / BASELINE_RUNS + 1 / variants)
    noise = total / ((count - 1) * variants) / count
    gains = scores.mean(axis=0) - baseline.mean()
    apart = gains - gains.mean()
    best = int(gains.argmax())
    return names[best], [count, variants, noise, gains.mean(), (apart**2).sum(), apart[best]]


def likelihoods(moments: Moments) -> np.ndarray:
    """How well each spread explains the distances between the gains of each study."""
    whole = moments.noise + SPREADS**2
    logs = -0.5 * (moments.variants - 1) * np.log(whole) - 0.5 * moments.squares / whole
    return np.exp(logs - logs.max(axis=1, keepdims=True))


def normalised(shares: np.ndarray) -> np.ndarray:
    return shares / shares.sum(axis=1, keepdims=True)


def learn_spreads(moments: Moments, likelihood: np.ndarray) -> np.ndarray:
    """The law of spreads for each study, from the studies that are like it."""
    traits = np.log(np.hstack([moments.count, np.sqrt(moments.noise * moments.count)])) / LIKENESS
    alike = np.exp(-0.5 * ((traits[:, None] - traits) ** 2).sum(axis=2))
    law = np.repeat(PRIOR_SPREADS[None], len(alike), axis=0)
    for _ in range(ROUNDS):
        chances = normalised(law * likelihood)
        law = normalised(alike @ chances + SPREAD_WEIGHT * PRIOR_SPREADS)
    return law


def learn_middles(moments: Moments, true_variance: np.ndarray) -> tuple[float, float]:
    """Mean and standard deviation of the law of mean gains: the most likely pair."""
    error = moments.common + true_variance / moments.variants
    best, found = -math.inf, (0.0, USUAL_WIDTH)
    for width in WIDTHS:
        whole = error + width**2
        fits = -0.5 * (np.log(whole) + (moments.middle - CENTRES) ** 2 / whole).sum(axis=0)
        fits -= 0.5 * (CENTRES / CENTRE_ERROR) ** 2 + 0.5 * (math.log(width / USUAL_WIDTH) / WIDTH_ERROR) ** 2
        if fits.max() > best:
            best, found = float(fits.max()), (float(CENTRES[fits.argmax()]), float(width))
    return found


def quantile(chances: np.ndarray, middles: np.ndarray, errors: np.ndarray, level: float) -> np.ndarray:
    """For each study, the place below which a share of its mixture of normal laws lies."""
    erf = np.vectorize(math.erf)
    low, high = (middles - 6 * errors).min(axis=1), (middles + 6 * errors).max(axis=1)
    for _ in range(HALVINGS):
        place = (low + high) / 2
        below = (chances * (0.5 + 0.5 * erf((place[:, None] - middles) / errors / math.sqrt(2)))).sum(axis=1)
        low, high = np.where(below < level, place, low), np.where(below < level, high, place)
    return (low + high) / 2


def analyse_all(studies: dict[str, Rows]) -> dict[str, Found]:
    """The best variant of each study, and posterior mean and interval of its gain."""
    choices, numbers = zip(*map(moments_of, studies.values()), strict=True)
    moments = Moments(*np.array(numbers).T[..., None])
    likelihood = likelihoods(moments)
    law = learn_spreads(moments, likelihood)
    centre, width = learn_middles(moments, normalised(law * likelihood) @ SPREADS[:, None] ** 2)
    around = width**2 + SPREADS**2 / moments.variants
    whole = around + moments.common
    fit = np.exp(-0.5 * (moments.middle - centre) ** 2 / whole) / np.sqrt(whole)
    chances = normalised(law * likelihood * fit)
    kept, kept_middle = SPREADS**2 / (SPREADS**2 + moments.noise), around / whole
    middles = centre + kept_middle * (moments.middle - centre) + kept * moments.lead
    errors = np.sqrt(kept_middle * moments.common + kept * moments.noise * (1 - 1 / moments.variants))
    estimates = (chances * middles).sum(axis=1)
    low, high = (quantile(chances, middles, errors, level) for level in (0.025, 0.975))
    lines = zip(estimates.tolist(), low.tolist(), high.tolist(), choices, strict=True)
    return dict(zip(studies, lines, strict=True))
