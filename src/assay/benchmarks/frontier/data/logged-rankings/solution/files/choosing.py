"""How a policy fills a slate."""

from __future__ import annotations

import numpy as np
from features import Features
from sessions import Policy, Session


def scores(policy: Policy, features: Features, session: Session) -> np.ndarray:
    """The score of each item of the pool."""
    return features.of(session, session.pool) @ np.array(policy.weights)


def next_chances(values: np.ndarray, left: np.ndarray, policy: Policy) -> np.ndarray:
    """The chance of each item of the pool to be chosen next; `left` marks those that are left."""
    powers = values / policy.temperature
    weights = np.where(left, np.exp(powers - powers[left].max()), 0.0)
    uniform = left / left.sum()
    return (1.0 - policy.mix) * weights / weights.sum() + policy.mix * uniform


def slate_chances(policy: Policy, features: Features, session: Session) -> tuple[np.ndarray, np.ndarray]:
    """For each position: the chances of all items of the pool, and that of the item that was shown."""
    values = scores(policy, features, session)
    left = np.ones(len(session.pool), dtype=bool)
    every, shown = [], []
    for item in session.slate:
        chances = next_chances(values, left, policy)
        place = session.pool.index(item)
        every.append(chances)
        shown.append(chances[place])
        left[place] = False
    return np.array(every), np.array(shown)


def ranking(policy: Policy, features: Features, session: Session) -> list[int]:
    """The items of the pool, best first."""
    values = np.round(scores(policy, features, session), 8)
    pairs = sorted(zip(-values, session.pool, strict=True))
    return [item for _, item in pairs]
