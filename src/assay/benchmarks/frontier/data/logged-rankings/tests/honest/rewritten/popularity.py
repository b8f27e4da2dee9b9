"""Popularity from a table of days."""

import math

import numpy as np


def base_rate(study):
    clicks = np.concatenate([session.clicks for session in study.training])
    return float(clicks.mean())


class Popularity:
    """Every rate is computed from the list of all views of the item."""

    def __init__(self, study, attention):
        self.settings = study.settings
        self.base = base_rate(study)
        self.views = {number: [] for number in study.items}
        for session in (session for session in study.sessions if session.recorded):
            for item, click, look in zip(session.slate, session.clicks, attention):
                self.views[item].append((session.day, click, look))

    def log_odds(self, item, day):
        recent = [view for view in self.views[item] if 1 <= day - view[0] <= self.settings.window]
        clicks = math.fsum(click for _, click, _ in recent)
        looks = math.fsum(look for _, _, look in recent)
        rate = (clicks + self.settings.prior * self.base) / (looks + self.settings.prior)
        rate = float(np.clip(rate, 0.001, 0.999))
        return math.log(rate) - math.log1p(-rate)
