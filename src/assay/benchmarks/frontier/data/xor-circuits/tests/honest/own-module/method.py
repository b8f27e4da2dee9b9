"""Greedy additions with random choices among the best, begun again from parts of the best circuit. Run: `python solve.py`."""

import json
import random
from pathlib import Path

TRIES = 100


class Search:
    """Columns of the rows that still need a signal, with the number of rows that each pair shares."""

    def __init__(self, rows):
        size = len(rows[0])
        self.columns = [sum(row[place] << number for number, row in enumerate(rows)) for place in range(size)]
        self.shared = {}
        for first in range(size):
            self.count(first)

    def copy(self):
        """The same search, to go on with apart."""
        other = Search.__new__(Search)
        other.columns, other.shared = list(self.columns), dict(self.shared)
        return other

    def count(self, first):
        """Count again for all pairs with one signal."""
        mine = self.columns[first]
        for second, column in enumerate(self.columns):
            if second != first:
                pair = (first, second) if first > second else (second, first)
                number = (mine & column).bit_count()
                if number:
                    self.shared[pair] = number
                else:
                    self.shared.pop(pair, None)

    def add(self, pair):
        """Make the sum of two signals."""
        rows = self.columns[pair[0]] & self.columns[pair[1]]
        self.columns[pair[0]] &= ~rows
        self.columns[pair[1]] &= ~rows
        self.columns.append(rows)
        for number in (pair[0], pair[1], len(self.columns) - 1):
            self.count(number)


def finish(search, additions, source):
    """Go on until every row is made; ties are broken at random."""
    while search.shared:
        most = max(search.shared.values())
        best = [pair for pair, number in search.shared.items() if number == most]
        pair = best[int(source.random() * len(best))]
        search.add(pair)
        additions.append(list(pair))
    return additions


def circuit(rows, source):
    """The best circuit of many tries; a try begins with a part of the best one so far."""
    start = Search(rows)
    best = finish(start.copy(), [], source)
    for turn in range(TRIES):
        kept = 0 if turn % 4 == 0 else int(source.random() * len(best) * 0.7)
        search = start.copy()
        for pair in best[:kept]:
            search.add(tuple(pair))
        tried = finish(search, best[:kept], source)
        if len(tried) <= len(best):
            best = tried
    return best


def main():
    problem = json.loads(Path("problem.json").read_text())
    source = random.Random(5)
    circuits = [circuit(rows, source) for rows in problem["matrices"]]
    Path("answers.json").write_text(json.dumps({"circuits": circuits}))


if __name__ == "__main__":
    main()
