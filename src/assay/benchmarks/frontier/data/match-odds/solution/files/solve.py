"""Skill, trend, floors, host, tiredness and two styles; the posterior is sampled. Run: `python solve.py`."""

import os

os.environ["OPENBLAS_NUM_THREADS"] = "1"

import json
from pathlib import Path

import numpy as np

STARTS, BURN, KEPT, LEAPS = 4, 300, 1700, 6
SPREADS = {"skill": 0.7, "trend": 0.4, "floor": 0.5, "style": 1.0}
"""First guesses of the standard deviations of each group of numbers; they are sampled, too."""
BELIEF = 3.0
"""How many numbers the first guess of a spread counts as."""
SEED = 1


class Layout:
    """Where the numbers of the law are in one vector, and what is believed of them before the data."""

    def __init__(self, players, floors):
        self.players, self.floors = players, floors
        sizes = {"skill": players, "trend": players, "floor": players * floors, "style": 2 * players}
        ends = np.cumsum([0, *sizes.values()]).tolist()
        self.places = {name: slice(*ends[number : number + 2]) for number, name in enumerate(sizes)}
        self.host, self.tired, self.rest = range(ends[-1], ends[-1] + 3)
        self.size = ends[-1] + 3
        self.mean = np.zeros(self.size)
        self.mean[self.rest] = np.log(6.0)

    def split(self, numbers):
        """The numbers of each group; the styles as two lists."""
        skill, trend, floor, style = (numbers[place] for place in self.places.values())
        return skill, trend, floor, style[: self.players], style[self.players :]

    def precision(self, spreads):
        """One over the variance of each number."""
        found = np.empty(self.size)
        for name, place in self.places.items():
            found[place] = spreads[name] ** -2
        found[[self.host, self.tired, self.rest]] = 1.0, 0.25, 4.0
        return found

    def draw_spreads(self, numbers, random):
        """Spreads of the groups, drawn given their numbers."""
        spreads = {}
        for name, place in self.places.items():
            total = BELIEF * SPREADS[name] ** 2 + numbers[place] @ numbers[place]
            spreads[name] = np.sqrt(total / random.chisquare(BELIEF + len(numbers[place])))
        return spreads


class Games:
    """Some of the games, with the log odds of the first player and their slopes."""

    def __init__(self, layout, rows, times, gaps):
        self.layout, self.times, self.gaps = layout, times, gaps
        self.one, self.two, host, floor = rows.T
        self.hosts = (host == 1) * 1.0 - (host == 2)
        self.floor_one, self.floor_two = self.one * layout.floors + floor, self.two * layout.floors + floor

    def tiredness(self, numbers):
        """How tired the first player is, compared with the second, and its slope in the logarithm of the rest."""
        scaled = self.gaps / np.exp(numbers[self.layout.rest])
        tired = np.exp(-scaled)
        slope = tired * scaled
        return tired[0] - tired[1], slope[0] - slope[1]

    def log_odds(self, numbers):
        """Of each game that the first player wins."""
        one, two, layout = self.one, self.two, self.layout
        skill, trend, floor, left, right = layout.split(numbers)
        return (
            (skill[one] - skill[two])
            + (trend[one] - trend[two]) * self.times
            + (floor[self.floor_one] - floor[self.floor_two])
            + (left[one] * right[two] - right[one] * left[two])
            + numbers[layout.host] * self.hosts
            + numbers[layout.tired] * self.tiredness(numbers)[0]
        )

    def pull(self, numbers, rest):
        """The slope of the sum of the log odds, weighted by rest, in each number."""
        one, two, layout = self.one, self.two, self.layout
        left, right = layout.split(numbers)[3:]
        tired, slope = self.tiredness(numbers)

        def apart(first, second, if_first, if_second, size=layout.players):
            return np.bincount(first, if_first, size) - np.bincount(second, if_second, size)

        timed = rest * self.times
        return np.concatenate(
            [
                apart(one, two, rest, rest),
                apart(one, two, timed, timed),
                apart(self.floor_one, self.floor_two, rest, rest, layout.players * layout.floors),
                apart(one, two, rest * right[two], rest * right[one]),
                apart(two, one, rest * left[one], rest * left[two]),
                [rest @ self.hosts, rest @ tired, numbers[layout.tired] * (rest @ slope)],
            ]
        )

    def slopes(self, numbers):
        """The slope of each game's log odds in each number."""
        one, two, layout, rows = self.one, self.two, self.layout, np.arange(len(self.one))
        _, _, _, left, right = layout.split(numbers)
        found = np.zeros((len(rows), layout.size))
        skill, trend, floor, style = (place.start for place in layout.places.values())
        for first, second, value in (
            (skill + one, skill + two, 1.0),
            (trend + one, trend + two, self.times),
            (floor + self.floor_one, floor + self.floor_two, 1.0),
        ):
            found[rows, first], found[rows, second] = value, -value
        found[rows, style + one], found[rows, style + two] = right[two], -right[one]
        style += layout.players
        found[rows, style + two], found[rows, style + one] = left[one], -left[two]
        tired, slope = self.tiredness(numbers)
        found[:, layout.host], found[:, layout.tired] = self.hosts, tired
        found[:, layout.rest] = numbers[layout.tired] * slope
        return found


class Posterior:
    """How unlikely numbers are, given the known results: an energy, minus the logarithm of the density."""

    def __init__(self, games, won):
        self.games, self.won, self.mean = games, won, games.layout.mean

    def misfit(self, numbers):
        """The part of the energy that comes from the results, and its slope."""
        odds = chance(self.games.log_odds(numbers))
        energy = -np.log(np.where(self.won, odds, 1 - odds)).sum()
        return energy, self.games.pull(numbers, odds - self.won)

    def with_prior(self, numbers, misfit, precision):
        """The energy and its slope."""
        away = numbers - self.mean
        return misfit[0] + 0.5 * precision @ away**2, misfit[1] + precision * away

    def curvature(self, numbers, precision):
        """Nearly the second derivative of the energy."""
        slopes, odds = self.games.slopes(numbers), chance(self.games.log_odds(numbers))
        return (slopes * (odds * (1 - odds))[:, None]).T @ slopes + np.diag(precision)

    def descend(self, numbers, precision, steps=30):
        """A minimum of the energy near the numbers, with the energy there."""
        energy, slope = self.with_prior(numbers, self.misfit(numbers), precision)
        damping = 0.01
        for _ in range(steps):
            curvature, gain = self.curvature(numbers, precision), 0.0
            while gain <= 0 and damping < 1e6:
                place = numbers - np.linalg.solve(curvature + damping * np.diag(np.diag(curvature)), slope)
                found = self.with_prior(place, self.misfit(place), precision)
                gain = energy - found[0]
                damping *= 0.2 if gain > 0 else 4.0
            if gain > 0:
                numbers, (energy, slope) = place, found
            if gain < 0.1:
                break
        return numbers, energy


def chance(log_odds):
    """The chance for log odds."""
    return 1 / (1 + np.exp(-np.clip(log_odds, -30, 30)))


def gaps_of(rows, players):
    """For both players of each game, how many games ago they last played."""
    last, gaps = np.full(players, -(10**6)), np.empty((2, len(rows)))
    for number, pair in enumerate(rows[:, :2]):
        gaps[:, number] = number - last[pair]
        last[pair] = number
    return gaps


def leap(posterior, numbers, misfit, precision, root, size, random):
    """One step of Hamiltonian sampling: new numbers and their misfit, or None if the step is refused."""
    push, size = random.normal(size=len(numbers)), size * random.uniform(0.7, 1.1)
    energy, slope = posterior.with_prior(numbers, misfit, precision)
    before = energy + 0.5 * push @ push
    push = push - 0.5 * size * (slope @ root)
    for turn in range(LEAPS):
        numbers = numbers + size * (root @ push)
        misfit = posterior.misfit(numbers)
        energy, slope = posterior.with_prior(numbers, misfit, precision)
        push = push - (1.0 if turn < LEAPS - 1 else 0.5) * size * (slope @ root)
    after = energy + 0.5 * push @ push
    return (numbers, misfit) if np.log(random.random()) < before - after else None


def best_start(posterior, precision, random):
    """The lowest of several minima of the energy, from random styles."""
    layout, found = posterior.games.layout, []
    for _ in range(STARTS):
        numbers = layout.mean.copy()
        numbers[layout.places["style"]] = 0.5 * random.normal(size=2 * layout.players)
        numbers[layout.tired] = -1.5
        found.append(posterior.descend(numbers, precision))
    return min(found, key=lambda pair: pair[1])[0]


def sampled_odds(posterior, asked, random):
    """The mean over the posterior of the chances of the asked games."""
    layout, size, total = posterior.games.layout, 0.3, 0.0
    precision = layout.precision(SPREADS)
    numbers = best_start(posterior, precision, random)
    root = np.linalg.cholesky(np.linalg.inv(posterior.curvature(numbers, precision)))
    misfit = posterior.misfit(numbers)
    for step in range(BURN + KEPT):
        found = leap(posterior, numbers, misfit, precision, root, size, random)
        numbers, misfit = found or (numbers, misfit)
        precision = layout.precision(layout.draw_spreads(numbers, random))
        if step < BURN:
            size *= 1.03 if found else 0.92
        else:
            total = total + chance(asked.log_odds(numbers))
    return total / KEPT


def odds_of(problem):
    """For each asked game, the chance that the first player won."""
    rows = np.array(problem["games"])
    is_asked = np.array([won is None for won in problem["won"]])
    won = np.array([won for won in problem["won"] if won is not None]) == 1
    layout = Layout(int(rows[:, :2].max()) + 1, int(rows[:, 3].max()) + 1)
    times, gaps = (np.arange(len(rows)) / len(rows) - 0.5) * np.sqrt(12), gaps_of(rows, layout.players)
    known, asked = (Games(layout, rows[some], times[some], gaps[:, some]) for some in (~is_asked, is_asked))
    odds = sampled_odds(Posterior(known, won), asked, np.random.default_rng(SEED))
    return odds.round(5).tolist()


def main():
    problem = json.loads(Path("problem.json").read_text())
    Path("answers.json").write_text(json.dumps({"odds": odds_of(problem)}))


if __name__ == "__main__":
    main()
