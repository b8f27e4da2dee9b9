"""The score: how much a program lowers the regret of random search, compared with the best known program."""

import math
import random
import statistics

STOPS = 1 / 3, 2 / 3, 1.0
"""Shares of the budget at which the shortlist counts."""
SHORT = 10
"""Rows of a shortlist."""


class Table:
    """A table that answers evaluations, counts their cost and keeps the regrets of shortlists."""

    def __init__(self, problem, truth, seed):
        self.problem, self.truth, self.seed = problem, truth, seed
        self.spent, self.asked, self.regrets = 0.0, {}, []
        known = sorted(loss for loss in truth["losses"] if loss is not None)
        self.best, self.middle = statistics.fmean(known[:SHORT]), statistics.median(known)

    def is_open(self):
        """Whether there is budget for one more evaluation."""
        return self.spent < self.problem["budget"]

    def evaluate(self, row):
        """The loss of a row with noise; None if the run fails. The same row gets new noise each time."""
        times = self.asked[row] = self.asked.get(row, 0) + 1
        self.spent += self.problem["costs"][row]
        loss = self.truth["losses"][row]
        if loss is None:
            return None
        noise = random.Random(f"{self.seed} {row} {times}").gauss(0, 1)
        return loss + self.truth["noise"][row] * noise

    def is_due(self):
        """Whether the cost has passed the next stop, so that a shortlist counts now."""
        stop = len(self.regrets)
        return stop < len(STOPS) and self.spent >= STOPS[stop] * self.problem["budget"]

    def count(self, shortlist):
        """Keeps the regret of a shortlist for each stop that the cost has passed."""
        while self.is_due():
            self.regrets.append(statistics.fmean(self.regret(row) for row in shortlist))

    def regret(self, row):
        """About 0 for the ten best rows, 1 for the median, for all that is worse and for rows that fail."""
        loss = self.truth["losses"][row]
        return 1.0 if loss is None else min((loss - self.best) / (self.middle - self.best), 1.0)

    def result(self):
        """The mean regret over the stops."""
        return statistics.fmean(self.regrets)


def checked(rows, problem):
    """A shortlist: ten different rows of the table."""
    is_right = isinstance(rows, list) and all(type(row) is int and 0 <= row < len(problem["rows"]) for row in rows)
    if not is_right or len(rows) != SHORT or len(set(rows)) != SHORT:
        raise ValueError(f"expected a shortlist of {SHORT} different rows")
    return rows


def random_regret(problem, truth, seed, times=10):
    """The mean regret of random search, whose shortlist has the ten rows with the lowest losses that it saw."""
    results = []
    for number in range(times):
        table, source = Table(problem, truth, f"{seed} {number}"), random.Random(f"{seed} {number}")
        seen, order = {}, source.sample(range(len(problem["rows"])), len(problem["rows"]))
        for place, row in enumerate(order):
            loss = table.evaluate(row)
            seen[row] = math.inf if loss is None else loss
            table.count([*sorted(seen, key=seen.get), *order[place + 1 :]][:SHORT])
            if not table.is_open():
                break
        results.append(table.result())
    return statistics.fmean(results)


def score(regrets, plain, known):
    """1 for the best known program, 0 for random search; and its standard error over tables."""
    gain = math.fsum(p - k for p, k in zip(plain, known))
    value = math.fsum(p - r for p, r in zip(plain, regrets)) / gain
    rest = [(p - r) - value * (p - k) for r, p, k in zip(regrets, plain, known)]
    return value, math.sqrt(math.fsum(x * x for x in rest) * len(rest) / (len(rest) - 1)) / gain
