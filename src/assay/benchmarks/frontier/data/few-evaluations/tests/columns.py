"""Columns of a table of settings: how they are drawn, and where a setting lies in its range."""

import numpy as np


class Column:
    """A setting of some kind: `at` is its place in its range, from 0 to 1, or the number of its category."""

    def __init__(self, kind, values, at):
        self.kind, self.values, self.at = kind, values, at


def three_digits(values):
    """Values as people write them."""
    return [float(f"{value:.3g}") for value in values]


class Maker:
    """Draws columns for the rows of a table."""

    def __init__(self, source, rows):
        self.source, self.rows, self.columns = source, rows, []

    def add(self, kind, values, at):
        """Keeps a column and returns its places."""
        self.columns.append(Column(kind, values, at))
        return at

    def real(self):
        """A real number in a range with round ends."""
        low, width = self.source.choice([0.0, 0.0, 0.1, 0.5]), self.source.choice([0.5, 0.9, 1.0])
        at = self.source.random(self.rows)
        return self.add("real", three_digits(low + width * at), at)

    def log(self):
        """A positive number over several powers of ten."""
        decades, low = self.source.uniform(2.5, 5), self.source.uniform(-6, -2)
        at = self.source.random(self.rows)
        return self.add("log", three_digits(10 ** (low + decades * at)), at)

    def whole(self, fewest=4, most=12):
        """A small whole number."""
        size, low = self.source.integers(fewest, most + 1), self.source.integers(1, 4)
        steps = self.source.integers(0, size, self.rows)
        return self.add("whole", (low + steps).tolist(), steps / (size - 1))

    def powers(self):
        """A whole number that doubles from step to step."""
        size, low = self.source.integers(4, 8), self.source.integers(2, 6)
        steps = self.source.integers(0, size, self.rows)
        return self.add("log", (2 ** (low + steps)).tolist(), steps / (size - 1))

    def category(self, size):
        """One of a few choices, in no order."""
        choices = self.source.integers(0, size, self.rows)
        return self.add("category", choices.tolist(), choices)

    def idle(self, most):
        """Up to `most` settings that change nothing."""
        for _ in range(self.source.integers(0, most + 1)):
            self.source.choice([self.real, self.log, self.whole])()
