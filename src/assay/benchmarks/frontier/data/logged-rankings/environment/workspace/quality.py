"""How good and how fair the ranking of a policy is."""

from __future__ import annotations

import numpy as np
from attention import discounts
from choosing import ranking
from features import Features
from sessions import Policy, Session, Study


def gain(order: list[int], clicked: set[int], length: int) -> float:
    """The discounted gain of the first places, relative to the best possible one."""
    worth = discounts(length)
    hits = np.array([item in clicked for item in order[:length]], dtype=float)
    best = worth[: min(len(clicked), length)].sum()
    return float(worth[: len(hits)] @ hits / best)


def first_hit(order: list[int], clicked: set[int]) -> float:
    """One over the place of the first clicked item."""
    return 1.0 / (1 + min(order.index(item) for item in clicked))


def ranking_numbers(
    policy: Policy, features: Features, sessions: list[Session], length: int
) -> dict[str, float]:
    """Mean quality over sessions with a click."""
    gains, hits = [], []
    for session in sessions:
        clicked = {item for item, click in zip(session.slate, session.clicks, strict=True) if click}
        if not clicked:
            continue
        order = ranking(policy, features, session)
        gains.append(gain(order, clicked, length))
        hits.append(first_hit(order, clicked))
    return {"gain": float(np.mean(gains)), "first_hit": float(np.mean(hits))}


def exposure_gap(
    study: Study, policy: Policy, features: Features, attention: np.ndarray, sessions: list[Session]
) -> float:
    """The largest difference of a group's share of attention and its share of the pools."""
    groups = sorted({item.group for item in study.items.values()})
    seen = dict.fromkeys(groups, 0.0)
    fair = dict.fromkeys(groups, 0.0)
    for session in sessions:
        order = ranking(policy, features, session)[: study.settings.length]
        total = float(attention[: len(order)].sum())
        for place, item in enumerate(order):
            seen[study.items[item].group] += float(attention[place]) / total
        for item in session.pool:
            fair[study.items[item].group] += 1.0 / len(session.pool)
    return max(abs(seen[group] - fair[group]) for group in groups) / len(sessions)
