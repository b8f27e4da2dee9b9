"""The rule of Boyar and Peralta, then a random walk over circuits of about the same size. Run: `python solve.py`."""

import os

os.environ["OPENBLAS_NUM_THREADS"] = "1"

import json
import random
from pathlib import Path

import numpy as np

WIDTH = 16
STARTS, STEPS = 4, 600_000
LONGER, GROWTH = 2, 0.002
EVERY = np.arange(1 << WIDTH)
INPUTS = [1 << place for place in range(WIDTH)]


def rule(rows, source):
    """The signals that the rule of Boyar and Peralta makes, in order: a row's distance is the additions it needs."""
    near = np.bitwise_count(EVERY).astype(np.int8)
    left, signals = np.array(sorted(rows)), np.array(INPUTS)
    left = left[near[left] > 1]
    while len(left):
        distance = near[left]
        if (distance == 2).any():
            chosen = source.choice(left[distance == 2].tolist())
        else:
            sums = (signals[:, None] ^ signals)[np.triu_indices(len(signals), 1)]
            sums = np.unique(sums[near[sums] > 1])
            new = np.minimum(distance, near[sums[:, None] ^ left] + 1).astype(int)
            value = new.sum(axis=1) * 100000 - (new**2).sum(axis=1)
            chosen = source.choice(sums[value == value.min()].tolist())
        signals = np.append(signals, chosen)
        near = np.minimum(near, near[EVERY ^ chosen] + 1)
        left = left[near[left] > 1]
    return signals[WIDTH:].tolist()


class Circuit:
    """Signals are known by their values: `pairs` says of which two each is the sum, `users` which sums it is in."""

    def __init__(self, signals, rows, source):
        self.rows, self.source = rows, source
        self.pairs, self.users = {}, {signal: set() for signal in INPUTS}
        for signal in signals:
            one = next(one for one in self.users if one ^ signal in self.users)
            self.users[signal] = set()
            self.join(signal, one, one ^ signal)
        self.made = list(self.pairs)
        self.places = {signal: place for place, signal in enumerate(self.made)}
        for signal in signals:
            self.drop(signal)

    def join(self, signal, one, two):
        """Make a signal from two others."""
        self.pairs[signal] = (one, two)
        self.users[one].add(signal)
        self.users[two].add(signal)

    def spare(self, signal):
        """Whether only one sum has this signal, and no row is it."""
        return len(self.users[signal]) == 1 and signal in self.pairs and signal not in self.rows

    def drop(self, signal):
        """Take a signal away if nothing needs it, and then those that it was made from."""
        if signal not in self.pairs or self.users[signal] or signal in self.rows:
            return
        one, two = self.pairs.pop(signal)
        del self.users[signal]
        place, last = self.places.pop(signal), self.made.pop()
        if last != signal:
            self.made[place] = last
            self.places[last] = place
        for other in (one, two):
            self.users[other].discard(signal)
            self.drop(other)

    def depends(self, signal, other):
        """Whether a signal is made from the other one, at once or through further ones."""
        if signal == other:
            return True
        pairs, stack, seen = self.pairs, [signal], {signal}
        while stack:
            for one in pairs.get(stack.pop(), ()):
                if one == other:
                    return True
                if one not in seen:
                    seen.add(one)
                    stack.append(one)
        return False

    def remake(self, signal, one, two):
        """Make a signal from two others than before."""
        before = self.pairs[signal]
        for other in before:
            self.users[other].discard(signal)
        self.join(signal, one, two)
        for other in before:
            self.drop(other)

    def step(self, growth, most):
        """Write (p + q) + z as p + (q + z) somewhere; only with the given chance if this makes the circuit longer."""
        chance = self.source.random
        place = chance() * len(self.made)
        signal = self.made[int(place)]
        side = int(place * 1024)
        inner, z = self.pairs[signal]
        if side & 1:
            inner, z = z, inner
        if inner not in self.pairs:
            inner, z = z, inner
            if inner not in self.pairs:
                return
        p, q = self.pairs[inner]
        if side & 2:
            p, q = q, p
        new = q ^ z
        if new in self.users:
            if not self.depends(new, signal):
                self.remake(signal, p, new)
        elif self.spare(inner) or (len(self.made) < most and chance() < growth):
            self.users[new] = set()
            self.join(new, q, z)
            self.places[new] = len(self.made)
            self.made.append(new)
            self.remake(signal, p, new)
            self.use(new)

    def use(self, new):
        """Make other signals from a new one: always if this may take one away, and otherwise half of the time."""
        users, pairs = self.users, self.pairs
        hits = [signal for signal in users if new ^ signal in users]
        if len(hits) <= 4:
            return
        self.source.shuffle(hits)
        for signal in hits:
            other = new ^ signal
            if signal not in pairs or other not in users or new not in users or new in pairs[signal]:
                continue
            gain = any(one != other and self.spare(one) for one in pairs[signal])
            if (
                (gain or self.source.random() < 0.5)
                and not self.depends(new, signal)
                and not self.depends(other, signal)
            ):
                self.remake(signal, other, new)


def additions(pairs):
    """Each addition as the numbers of two earlier signals."""
    numbers = {signal: place for place, signal in enumerate(INPUTS)}
    circuit = []

    def make(signal):
        if signal not in numbers:
            one, two = pairs[signal]
            make(one)
            make(two)
            circuit.append([numbers[one], numbers[two]])
            numbers[signal] = len(numbers)

    for signal in pairs:
        make(signal)
    return circuit


def shortest(rows, source):
    """The shortest circuit that the walk meets."""
    start = min((rule(rows, source) for _ in range(STARTS)), key=len)
    circuit = Circuit(start, rows, source)
    best = dict(circuit.pairs)
    for _ in range(STEPS):
        circuit.step(GROWTH, len(best) + LONGER)
        if len(circuit.made) < len(best):
            best = dict(circuit.pairs)
    return additions(best)


def main():
    source = random.Random(5)
    matrices = json.loads(Path("problem.json").read_text())["matrices"]
    rows = [{sum(bit << place for place, bit in enumerate(row)) for row in matrix} for matrix in matrices]
    Path("answers.json").write_text(json.dumps({"circuits": [shortest(each, source) for each in rows]}))


if __name__ == "__main__":
    main()
