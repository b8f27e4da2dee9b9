"""A league: teams whose strength drifts, and seasons in which each team meets each other at home and away."""

import math
import random


def goals(source, rate):
    """A Poisson number."""
    limit, count, product = math.exp(-rate), 0, source.random()
    while product > limit:
        count += 1
        product *= source.random()
    return count


def play(teams, seasons, seed):
    """All games in the order of time: (season, day, home, away, goals of home, goals of away)."""
    source = random.Random(seed)
    strengths = [source.gauss(0, 0.35) for _ in range(teams)]
    games = []
    for season in range(seasons):
        pairs = [(home, away) for home in range(teams) for away in range(teams) if home != away]
        source.shuffle(pairs)
        day = 0
        for home, away in pairs:
            day += source.randint(0, 2)
            gap = strengths[home] - strengths[away]
            scored = goals(source, 1.45 * math.exp(gap + 0.1)), goals(source, 1.45 * math.exp(-gap - 0.1))
            games.append((season, day, home, away, *scored))
        strengths = [0.8 * strength + source.gauss(0, 0.22) for strength in strengths]
    return games
