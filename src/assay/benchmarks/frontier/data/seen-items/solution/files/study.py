"""Counts each item that was not trained on once, with laws that are learnt from all studies of the folder.

Records with nearly the same measurements are one item. How often both classifiers, one of them or none is
right depends on their mean accuracy, on the difference of the two, and on how far their errors go together.
Mean accuracies come from a normal law and differences from a mixture of normal laws.
Expectation-maximisation finds the laws from all studies; the interval is the posterior one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

MARGIN = 8.0
NEAR = 0.1
"""How far measurements of one item may be apart: their error is about 0.01."""
DIFFERENCES = np.arange(-0.7, 0.7001, 0.005)
ACCURACIES = np.linspace(0.5, 0.92, 43)
"""The grid of what is not known of a study: the difference of the accuracies, and their mean."""
USUAL_ACCURACY = 0.71
ACCURACY_SPREAD = 0.04
ACCURACY_WEIGHT = 3.0
ODDS_SPREAD = 0.4
"""Beliefs before the first study is seen; the last one is that of the log of the odds ratio."""
FEW_STUDIES = 60
COMPONENTS = 3
FURTHEST = 0.15
"""From so many studies on the law of the differences has so many parts, from -0.15 to 0.15 at the start."""
FEW_VARIANCE = 0.15**2
MANY_VARIANCE = 0.05**2
VARIANCE_WEIGHT = 4.0
"""The belief about the variance of a part, with few or many studies, and how many studies it counts for."""
DIFFERENCE_STEPS = 300
ROUNDS = 6

Rows = list[dict[str, str]]
Found = tuple[float, float, float]


@dataclass
class Laws:
    """The chances of the differences, the mean and the variance of the accuracies, and the log odds ratio."""

    differences: np.ndarray
    accuracy: float
    variance: float
    odds_ratio: float

    @property
    def accuracies(self) -> np.ndarray:
        """The chances of the mean accuracies on the grid."""
        chances = np.exp(-0.5 * (ACCURACIES - self.accuracy) ** 2 / self.variance)
        found: np.ndarray = chances / chances.sum()
        return found


def measured(row: dict[str, str]) -> list[float]:
    """The measurements in one unit."""
    unit = 1000.0 if row["source"] == "west" else 1.0
    return [float(row[f"x{place}"]) / unit for place in range(1, 6)]


def item_numbers(values: np.ndarray) -> np.ndarray:
    """The number of the item of each record: records that are near, also by way of others, share one."""
    order = np.argsort(values[:, 0], kind="stable")
    first = values[order, 0]
    counts = np.searchsorted(first, first + NEAR, side="right") - np.arange(len(first)) - 1
    left = np.repeat(np.arange(len(first)), counts)
    right = left + 1 + np.arange(len(left)) - np.repeat(np.cumsum(counts) - counts, counts)
    left, right = order[left], order[right]
    near = ((values[left] - values[right]) ** 2).sum(axis=1) < NEAR**2
    left, right = left[near], right[near]
    numbers = np.arange(len(values))
    while (numbers[left] != numbers[right]).any():
        lower = np.minimum(numbers[left], numbers[right])
        np.minimum.at(numbers, left, lower)
        np.minimum.at(numbers, right, lower)
    return numbers


def count_items(rows: Rows) -> np.ndarray:
    """How many unseen items both classifiers, only a, only b and none of them had right."""
    numbers = item_numbers(np.array([measured(row) for row in rows]))
    trained = np.array([row["part"] == "train" for row in rows])
    unseen = ~np.isin(numbers, numbers[trained])
    kept = [row for row, new in zip(rows, unseen, strict=True) if new]
    right_a = np.array([float(row["right_a"]) for row in kept])
    right_b = np.array([float(row["right_b"]) for row in kept])
    weights = 1.0 / np.bincount(numbers[unseen])[numbers[unseen]]
    both, total = (right_a * right_b) @ weights, weights.sum()
    only_a, only_b = right_a @ weights - both, right_b @ weights - both
    return np.array([both, only_a, only_b, total - both - only_a - only_b])


def log_cells(odds_ratio: float) -> np.ndarray:
    """The logs of the chances of the four cells, at each point of the grid."""
    a = ACCURACIES + DIFFERENCES[:, None] / 2.0
    b = ACCURACIES - DIFFERENCES[:, None] / 2.0
    possible = (np.minimum(a, b) > 0.01) & (np.maximum(a, b) < 0.99)
    a, b = np.clip(a, 0.01, 0.99), np.clip(b, 0.01, 0.99)
    more = np.exp(odds_ratio) - 1.0
    if abs(more) < 1e-6:
        both = a * b
    else:
        total = 1.0 + (a + b) * more
        both = (total - np.sqrt(total**2 - 4.0 * (more + 1.0) * more * a * b)) / (2.0 * more)
    cells = np.stack([both, a - both, b - both, 1.0 - a - b + both])
    found: np.ndarray = np.where(possible, np.log(np.maximum(cells, 1e-9)), -20.0)
    return found


def likelihood_of(counts: np.ndarray, odds_ratio: float) -> tuple[np.ndarray, np.ndarray]:
    """The likelihood of each study at each point of the grid, and the logs by which it was made larger."""
    fits = np.tensordot(counts, log_cells(odds_ratio), 1)
    most = fits.max(axis=(1, 2))
    return np.exp(fits - most[:, None, None]), most


def new_odds_ratio(counts: np.ndarray, laws: Laws) -> float:
    """The top of the parabola through the evidence for three odds ratios."""
    prior, step, evidence = np.outer(laws.differences, laws.accuracies), 0.25, []
    for place in (-step, 0.0, step):
        likelihood, most = likelihood_of(counts, laws.odds_ratio + place)
        fit = np.log(np.tensordot(likelihood, prior, 2)) + most
        evidence.append(fit.sum() - 0.5 * ((laws.odds_ratio + place) / ODDS_SPREAD) ** 2)
    below, here, above = evidence
    curve = min(below - 2.0 * here + above, -1e-6)
    return laws.odds_ratio + float(np.clip(step * (below - above) / (2.0 * curve), -0.4, 0.4))


def difference_law(likelihood: np.ndarray) -> np.ndarray:
    """The chances of the differences, by a mixture of normal laws that fits all studies."""
    grid, few = DIFFERENCES, len(likelihood) < FEW_STUDIES
    belief = VARIANCE_WEIGHT * (FEW_VARIANCE if few else MANY_VARIANCE)
    means = np.zeros(1) if few else np.linspace(-FURTHEST, FURTHEST, COMPONENTS)
    variances, shares = np.full(len(means), 0.12**2), np.full(len(means), 1.0 / len(means))
    for _ in range(DIFFERENCE_STEPS):
        parts = shares / np.sqrt(variances) * np.exp(-0.5 * (grid[:, None] - means) ** 2 / variances) + 1e-300
        law = parts.sum(axis=1)
        weights = ((1.0 / (likelihood @ law)) @ likelihood)[:, None] * parts
        sums = weights.sum(axis=0)
        means = grid @ weights / (sums + 1.0)
        squares = (weights * (grid[:, None] - means) ** 2).sum(axis=0)
        variances = (squares + belief) / (sums + VARIANCE_WEIGHT)
        shares = (sums + 1.0) / (sums + 1.0).sum()
    return law / law.sum()


def new_accuracy_law(chances: np.ndarray) -> tuple[float, float]:
    """The mean and the variance of the mean accuracies, given the chances of each study."""
    total = ACCURACY_WEIGHT + len(chances)
    sums = chances.sum(axis=0)
    mean = (ACCURACY_WEIGHT * USUAL_ACCURACY + sums @ ACCURACIES) / total
    variance = (ACCURACY_WEIGHT * ACCURACY_SPREAD**2 + sums @ (ACCURACIES - mean) ** 2) / total
    return float(mean), float(variance)


def analyse_all(studies: dict[str, Rows]) -> dict[str, Found]:
    """The posterior mean and interval of each study's number, under the laws learnt from all of them."""
    counts = np.array([count_items(rows) for rows in studies.values()])
    flat = np.full(len(DIFFERENCES), 1.0 / len(DIFFERENCES))
    laws = Laws(flat, USUAL_ACCURACY, ACCURACY_SPREAD**2, 0.0)
    for place in range(ROUNDS):
        if place in (2, 4):
            laws.odds_ratio = new_odds_ratio(counts, laws)
        likelihood, _ = likelihood_of(counts, laws.odds_ratio)
        by_difference = likelihood @ laws.accuracies
        laws.differences = difference_law(by_difference)
        chances = np.einsum("d,sdk->sk", laws.differences, likelihood) * laws.accuracies
        laws.accuracy, laws.variance = new_accuracy_law(chances / chances.sum(axis=1, keepdims=True))
    posterior = by_difference * laws.differences
    found = {}
    for name, chances in zip(studies, posterior / posterior.sum(axis=1, keepdims=True), strict=True):
        low, high = np.interp([0.025, 0.975], np.cumsum(chances) - chances / 2.0, 100.0 * DIFFERENCES)
        found[name] = (float(100.0 * chances @ DIFFERENCES), float(low), float(high))
    return found
