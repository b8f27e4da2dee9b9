"""How likely a position is looked at."""

from __future__ import annotations

import numpy as np
from sessions import Session


def position_rates(training: list[Session], length: int) -> np.ndarray:
    """The share of sessions with a click at each position."""
    clicks, shown = np.zeros(length), np.zeros(length)
    for session in training:
        size = len(session.slate)
        clicks[:size] += session.clicks
        shown[:size] += 1
    return clicks / np.maximum(shown, 1)


def attention(training: list[Session], length: int, least: float) -> np.ndarray:
    """The attention of each position; it never grows and is never below the least one."""
    rates = position_rates(training, length)
    relative = rates / rates[0]
    return np.maximum(np.minimum.accumulate(relative), least)


def discounts(length: int) -> np.ndarray:
    """The value of a click at each position."""
    return 1.0 / np.log2(np.arange(2, length + 2))
