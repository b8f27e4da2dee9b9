"""One law of marks and doubts; what its numbers are in most studies is learned from all files of the folder.

The marker favours one model: wrong answers of this model pass (`passed`), right answers of the other fail
(`failed`), mistakes the other way are `rare`. Doubts come by chance (`doubt`), or with mistakes (`alarm`).
"""

from __future__ import annotations

import numpy as np

MARGIN = 8.0
ITEMS = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
"""The four kinds of item: right or wrong for the favoured model and for the other."""
TURNED = [0, 2, 1, 3]
MISTAKEN = ITEMS[:, None, :] != ITEMS[None, :, :]
CENTRES = np.array([0.0, 0.75, 0.0, -0.8, -1.05, -3.6, -1.76, 1.0])
"""Difference of the models, level, likeness, passed, failed, rare, doubt, alarm; all as logits."""
SPREADS = np.array([0.60, 0.40, 0.25, 0.35, 0.35, 0.45, 0.20, 0.50])
CENTRE_WEIGHT, SPREAD_WEIGHT = 2.0, 2.0
"""How many studies the numbers above are worth."""
ROUNDS, STEPS = 6, 10
DRAWS, FREEDOM, WIDER = 4000, 8, 1.1
TINY = 1e-12

Found = tuple[float, float, float]


def counts_of(rows: list[dict[str, str]]) -> tuple[np.ndarray, np.ndarray, int]:
    """Counts by truth, cheap marks and doubt; those without expert; 1 if `a` is favoured, or -1."""
    full, part = np.zeros((4, 4, 2)), np.zeros((4, 2))
    for row in rows:
        mark, doubt = 2 * int(row["cheap_a"]) + int(row["cheap_b"]), int(row["doubt"])
        if row["expert_a"]:
            full[2 * int(row["expert_a"]) + int(row["expert_b"]), mark, doubt] += 1
        else:
            part[mark, doubt] += 1
    errors = ITEMS[None, :, :] - ITEMS[:, None, :]
    if ((errors[:, :, 0] - errors[:, :, 1]) * full.sum(axis=2)).sum() >= 0:
        return full, part, 1
    return full[TURNED][:, TURNED], part[TURNED], -1


def shares(logits: np.ndarray) -> np.ndarray:
    """How often the four kinds of item come, by the logits on the last axis."""
    difference, level, likeness = (logits[..., place] for place in range(3))
    powers = np.stack([likeness - level, -difference, difference, likeness + level], axis=-1) / 2
    weights = np.exp(powers - powers.max(axis=-1, keepdims=True))
    result: np.ndarray = weights / weights.sum(axis=-1, keepdims=True)
    return result


def chances(logits: np.ndarray) -> np.ndarray:
    """The chance of each truth, cheap marks and doubt: the last three axes."""
    rates = 1 / (1 + np.exp(-np.clip(logits[..., 3:], -30, 30)))
    passed, failed, rare, doubt, alarm = (rates[..., place, None, None] for place in range(5))
    favoured = np.where(ITEMS[:, :1] == 0, passed, rare)
    other = np.where(ITEMS[:, 1:] == 1, failed, rare)
    result = shares(logits)[..., :, None]
    result = result * np.where(MISTAKEN[:, :, 0], favoured, 1 - favoured)
    result = result * np.where(MISTAKEN[:, :, 1], other, 1 - other)
    sure = (1 - doubt) * np.where(MISTAKEN.any(axis=2), 1 - alarm, 1.0)
    return np.stack([result * sure, result * (1 - sure)], axis=-1)


def seen(logits: np.ndarray) -> np.ndarray:
    """The chance of each thing that can be seen of an item: with the expert's marks, then without them."""
    every = chances(logits)
    flat = every.shape[:-3]
    return np.concatenate([every.reshape(*flat, 32), every.sum(axis=-3).reshape(*flat, 8)], axis=-1) + TINY


def fit(
    counts: np.ndarray, start: np.ndarray, centres: np.ndarray, spreads: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The most plausible logits of each study, and the inverse of their information."""
    logits, size = start.copy(), len(centres)
    moves = 1e-4 * np.concatenate([np.eye(size), -np.eye(size)])
    inverse = np.zeros((len(logits), size, size))
    for _ in range(STEPS):
        around = np.log(seen(logits[:, None, :] + moves))
        slopes = (around[:, :size] - around[:, size:]) / 2e-4
        weighted = slopes * counts[:, None, :]
        first = weighted.sum(axis=2) - (logits - centres) / spreads**2
        inverse = np.linalg.inv(weighted @ slopes.transpose(0, 2, 1) + np.diag(1 / spreads**2))
        move = (inverse @ first[:, :, None])[:, :, 0]
        logits = logits + move / np.maximum(1.0, np.abs(move).max(axis=1, keepdims=True))
        if np.abs(move).max() < 1e-3:
            break
    return logits, inverse


def learn(counts: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Centres and spreads of the logits over the studies, and the fit of each study that goes with them."""
    centres, spreads, number = CENTRES, SPREADS, len(counts)
    logits, inverse = fit(counts, np.repeat(CENTRES[None], number, axis=0), centres, spreads)
    for _ in range(ROUNDS - 1):
        variances = np.diagonal(inverse, axis1=1, axis2=2)
        precisions = np.maximum(1 / variances - 1 / spreads**2, 1e-3)
        alone = (logits / variances - centres / spreads**2) / precisions
        for _ in range(30):
            left = 1 / (precisions + 1 / spreads**2)
            means = left * (precisions * alone + centres / spreads**2)
            centres = (means.sum(axis=0) + CENTRE_WEIGHT * CENTRES) / (number + CENTRE_WEIGHT)
            squares = (left + (means - centres) ** 2).sum(axis=0) + SPREAD_WEIGHT * SPREADS**2
            spreads = np.sqrt(squares / (number + SPREAD_WEIGHT))
        logits, inverse = fit(counts, logits, centres, spreads)
    return centres, spreads, logits, inverse


def directions(source: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Draws from a t distribution, and minus the logarithms of their densities."""
    normal = source.normal(size=(DRAWS // 2, len(CENTRES)))
    stretch = np.sqrt(FREEDOM / source.chisquare(FREEDOM, (DRAWS // 2, 1)))
    points = np.concatenate([normal * stretch, -normal * stretch])
    return points, 0.5 * (FREEDOM + len(CENTRES)) * np.log1p((points**2).sum(axis=1) / FREEDOM)


def summary(values: np.ndarray, weights: np.ndarray) -> Found:
    """Mean of weighted draws, and 1.96 of their spreads to both sides."""
    centre = float(weights @ values)
    spread = float(weights @ (values - centre) ** 2) ** 0.5
    return centre, centre - 1.96 * spread, centre + 1.96 * spread


def analyse_all(studies: dict[str, list[dict[str, str]]]) -> dict[str, Found]:
    """Estimate and interval of every study: its posterior under the law that all share, by weighted draws."""
    tables = [counts_of(rows) for rows in studies.values()]
    counts = np.array([np.concatenate([full.ravel(), part.ravel()]) for full, part, _ in tables])
    centres, spreads, logits, inverse = learn(counts)
    source, found = np.random.default_rng(1), {}
    for place, (name, (_, _, sign)) in enumerate(zip(studies, tables, strict=True)):
        points, correction = directions(source)
        drawn = logits[place] + points @ np.linalg.cholesky(WIDER * inverse[place]).T
        fitness = np.log(seen(drawn)) @ counts[place] + correction
        fitness = fitness - 0.5 * (((drawn - centres) / spreads) ** 2).sum(axis=1)
        weights = np.exp(fitness - fitness.max())
        share = shares(drawn)
        found[name] = summary(100 * sign * (share[:, 2] - share[:, 1]), weights / weights.sum())
    return found
