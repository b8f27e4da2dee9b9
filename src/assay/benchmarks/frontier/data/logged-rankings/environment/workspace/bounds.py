"""Lower bounds of the value of a policy."""

from __future__ import annotations

import math

import numpy as np
from attention import discounts
from estimators import Judged
from sessions import Session, Settings


def bernstein_bound(judged: Judged, settings: Settings) -> float:
    """A lower bound of the capped estimate that holds for any distribution."""
    terms = np.minimum(judged.ratio, settings.cap) * judged.value
    count, log = len(terms), math.log(2.0 / settings.alpha)
    span = settings.cap * float(discounts(settings.length).sum())
    variance = float(terms.var(ddof=1))
    return (
        float(terms.mean()) - math.sqrt(2.0 * variance * log / count) - 7.0 * span * log / (3.0 * (count - 1))
    )


def user_sums(judged: Judged, users: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Ratios, and ratios times values, added up for each user."""
    places = np.searchsorted(users, judged.users)
    weight = np.bincount(places, weights=judged.ratio, minlength=len(users))
    total = np.bincount(places, weights=judged.ratio * judged.value, minlength=len(users))
    return weight, total


def bootstrap_bound(judged: Judged, sessions: list[Session], settings: Settings, number: int) -> float:
    """A lower bound of the normalised estimate, from users that are drawn again."""
    users = np.unique([session.user for session in sessions])
    weight, total = user_sums(judged, users)
    found = []
    for replicate in range(1, settings.replicates + 1):
        source = np.random.default_rng([settings.seed, number, replicate])
        drawn = source.integers(len(users), size=len(users))
        found.append(float(total[drawn].sum() / weight[drawn].sum()))
    place = round(settings.alpha * (settings.replicates + 1))
    return sorted(found)[place - 1]


def mean_bound(values: np.ndarray, users: np.ndarray, width: float) -> float:
    """The mean minus some standard errors that respect users."""
    centred = values - values.mean()
    labels = np.unique(users)
    sums = np.array([centred[users == label].sum() for label in labels])
    factor = len(labels) / (len(labels) - 1)
    return float(values.mean()) - width * math.sqrt(factor * float(sums @ sums)) / len(values)
