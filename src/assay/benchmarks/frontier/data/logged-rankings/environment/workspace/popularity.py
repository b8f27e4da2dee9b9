"""How often an item was clicked lately."""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass, field

import numpy as np
from sessions import Study


def base_rate(study: Study) -> float:
    """Clicks for each shown item in training."""
    clicks = sum(float(session.clicks.sum()) for session in study.training)
    shown = sum(len(session.slate) for session in study.training)
    return clicks / shown


@dataclass
class Popularity:
    """Smoothed click rates of items; they are computed when they are asked for."""

    study: Study
    attention: np.ndarray
    base: float = 0.0
    _clicks: dict[int, dict[int, float]] = field(default_factory=lambda: defaultdict(dict))
    _shown: dict[int, dict[int, float]] = field(default_factory=lambda: defaultdict(dict))
    _known: dict[int, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.base = base_rate(self.study)
        for session in self.study.sessions:
            for place, item in enumerate(session.slate):
                days, weights = self._clicks[item], self._shown[item]
                days[session.day] = days.get(session.day, 0.0) + float(session.clicks[place])
                weights[session.day] = weights.get(session.day, 0.0) + float(self.attention[place])

    def rate(self, item: int, day: int) -> float:
        """The click rate of an item as known on the morning of a day."""
        first, prior = day - self.study.settings.window, self.study.settings.prior
        clicks = sum(count for past, count in self._clicks[item].items() if first < past < day)
        shown = sum(weight for past, weight in self._shown[item].items() if first <= past < day)
        return (clicks + prior * self.base) / (shown + prior)

    def log_odds(self, item: int, day: int) -> float:
        """The logarithm of the odds of a click, kept for the next time."""
        key = item
        if key not in self._known:
            rate = min(max(self.rate(item, day), 0.001), 0.999)
            self._known[key] = math.log(rate / (1.0 - rate))
        return self._known[key]
