"""Circuits by the rule of Boyar and Peralta, then a walk over sets of signals of the same size. Run: `python solve.py`."""

import os

os.environ["OPENBLAS_NUM_THREADS"] = "1"

import json
from pathlib import Path

import numpy as np

STARTS, STEPS = 4, 4500


class Greedy:
    """Signals are added one by one, so that the rows come nearer: a row's distance is the additions it needs."""

    def __init__(self, rows, width, random):
        self.width, self.random = width, random
        self.rows = np.array(sorted({row for row in rows if row & (row - 1)}), dtype=np.int64)
        self.all = np.arange(1 << width, dtype=np.int64)
        self.distances = np.bitwise_count(self.all).astype(np.int8)

    def circuit(self):
        """The values of the signals, in order."""
        near, signals, left = self.distances, [1 << place for place in range(self.width)], self.rows
        while len(left):
            known = np.array(signals, dtype=np.int64)
            one, two = np.triu_indices(len(known), 1)
            sums = known[one] ^ known[two]
            distance = near[left]
            if (distance == 2).any():
                chosen = int(self.random.choice(left[distance == 2]))
            else:
                sums = np.unique(sums[near[sums] > 1])
                new = np.minimum(distance, near[sums[:, None] ^ left] + 1).astype(np.int64)
                score = new.sum(axis=1) * 100000 - (new**2).sum(axis=1)
                chosen = int(self.random.choice(sums[score <= score.min()]))
            signals.append(chosen)
            near = np.minimum(near, near[self.all ^ chosen] + 1)
            left = left[near[left] > 1]
        return signals


class Walk:
    """A list of signals in an order in which each is the sum of two before it; a step adds one and takes one away."""

    def __init__(self, signals, rows, width, random):
        self.signals, self.width, self.random = np.array(signals, dtype=np.int64), width, random
        self.rows = np.zeros(1 << width, dtype=bool)
        self.rows[list(rows)] = True
        self.places = np.full(1 << width, -1, dtype=np.int64)
        self.pairs = {}

    def sums(self):
        """All pairs of signals, their sums, and the place of each sum or -1."""
        size = len(self.signals)
        if size not in self.pairs:
            self.pairs[size] = np.triu_indices(size, 1)
        one, two = self.pairs[size]
        self.places[self.signals] = np.arange(size)
        values = self.signals[one] ^ self.signals[two]
        found = self.places[values]
        self.places[self.signals] = -1
        return one, two, values, found

    def removable(self, one, two, found):
        """The places of signals that no later one needs: each later one is also the sum of two others."""
        size = len(self.signals)
        good = found > two
        one, two, made = one[good], two[good], found[good]
        ways = np.bincount(made, minlength=size)
        through = np.bincount(one * size + made, minlength=size * size) + np.bincount(two * size + made, minlength=size * size)
        needed = ((through.reshape(size, size) == ways) & (ways > 0)).any(axis=1)
        needed[: self.width] = True
        return np.flatnonzero(~(needed | self.rows[self.signals]))

    def step(self, most):
        """Add a sum that can be made in two ways, and take away what is not needed, if there is something."""
        one, two, values, found = self.sums()
        new = np.sort(values[found < 0])
        new = new[1:][new[1:] == new[:-1]]
        if not len(new):
            return
        value = new[int(self.random.random() * len(new))]
        first = two[np.flatnonzero(values == value)].min() + 1
        first = max(int(first), self.width) + int(self.random.random() * 3)
        before = self.signals
        self.signals = np.concatenate([before[:first], [value], before[first:]])
        while True:
            one, two, _, found = self.sums()
            places = self.removable(one, two, found)
            if len(self.signals) > len(before):
                places = places[self.signals[places] != value]
            if not len(places):
                break
            self.signals = np.delete(self.signals, places[int(self.random.random() * len(places))])
        if len(self.signals) > most:
            self.signals = before

    def shuffle(self):
        """Another order in which each signal is the sum of two before it."""
        left = self.signals[self.width :][self.random.permutation(len(self.signals) - self.width)].tolist()
        known = self.signals[: self.width].tolist()
        inside = set(known)
        while left:
            for number, value in enumerate(left):
                if any(value ^ other in inside for other in known):
                    known.append(value)
                    inside.add(value)
                    del left[number]
                    break
        self.signals = np.array(known, dtype=np.int64)


def pairs_of(signals, width):
    """Each signal after the inputs as a pair of numbers of earlier signals."""
    signals, place, pairs = [int(signal) for signal in signals], {}, []
    for number, value in enumerate(signals):
        if number >= width:
            pairs.append(next([place[value ^ other], place[other]] for other in place if value ^ other in place))
        place[value] = number
    return pairs


def circuit(matrix, random):
    """The shortest circuit found for one matrix."""
    width = len(matrix[0])
    rows = [sum(bit << place for place, bit in enumerate(row)) for row in matrix]
    greedy = Greedy(rows, width, random)
    best = min((greedy.circuit() for _ in range(STARTS)), key=len)
    walk = Walk(best, rows, width, random)
    for turn in range(STEPS):
        if turn % 50 == 49:
            walk.shuffle()
        walk.step(len(best) + (turn % 200 > 150))
        if len(walk.signals) < len(best):
            best = walk.signals.copy()
    return pairs_of(best, width)


def main():
    problem = json.loads(Path("problem.json").read_text())
    random = np.random.default_rng(6)
    circuits = [circuit(matrix, random) for matrix in problem["matrices"]]
    Path("answers.json").write_text(json.dumps({"circuits": circuits}))


if __name__ == "__main__":
    main()
