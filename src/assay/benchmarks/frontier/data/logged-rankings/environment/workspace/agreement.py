"""How alike two policies are, and how their values change from day to day."""

from __future__ import annotations

import math

import numpy as np
from choosing import scores
from features import Features
from sessions import Policy, Session


def rank_agreement(first: np.ndarray, second: np.ndarray) -> float:
    """Kendall's tau-b of two lists of scores; 0 if one of them has equal scores only."""
    upper = np.triu_indices(len(first), k=1)
    one = np.sign(first[:, None] - first[None])[upper]
    two = np.sign(second[:, None] - second[None])[upper]
    size = math.sqrt(float(np.sum(one != 0)) * float(np.sum(two != 0)))
    return float(one @ two) / size if size else 0.0


def mean_agreement(first: Policy, second: Policy, features: Features, sessions: list[Session]) -> float:
    """The mean agreement of two policies over the pools of sessions."""
    found = []
    for session in sessions:
        one = np.round(scores(first, features, session), 8)
        two = np.round(scores(second, features, session), 8)
        found.append(rank_agreement(one, two))
    return float(np.mean(found))


def daily_slope(values: np.ndarray, days: np.ndarray) -> float:
    """The slope of a line through the daily means, each day weighted by its sessions."""
    labels = np.unique(days)
    means = np.array([values[days == day].mean() for day in labels])
    counts = np.array([np.sum(days == day) for day in labels])
    middle = np.average(labels, weights=counts)
    level = np.average(means, weights=counts)
    top = np.sum(counts * (labels - middle) * (means - level))
    return float(top / np.sum(counts * (labels - middle) ** 2))
