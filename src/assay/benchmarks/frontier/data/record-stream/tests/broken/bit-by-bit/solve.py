"""Predicts records by mixing many contexts, in the logistic domain, for each node of a binary tree over the bytes.

Each context keeps a history of bits for each node. Learned maps turn histories into log odds, and weights that depend
on the situation mix these log odds with guesses of the whole next byte: earlier matches, last values of the same field,
counters, sums and copies of other fields. Maps and weights start at values that were learned from the examples.
"""

import base64
import math
import zlib

import numpy as np
from parts import GUESSES, KIND, Reader
from tables import LEARNED

LEVELS = (0, 1, 2, 3, 4, 5, 6, 8, 10, 13, 17, 23, 32, 48)
SMALLER = dict(zip(LEVELS, (0, 1, 2, 2, 3, 3, 4, 4, 5, 5, 5, 6, 6, 6), strict=True))
SIZES = (1, 24, 64, 64, 48, 40, 64)
"""Situations for each set of weights."""
CONTEXTS, DEPTH = 32, 7
INPUTS = CONTEXTS + GUESSES + 1
MIX_RATE, LAST_RATE, MAP_RATE, GUESS_RATE, TABLE_RATE = 0.006, 0.001, 0.004, 0.01, 0.02
SHARE, STEPS, KNOWN = 0.6, 24, 100


def floor_level(number):
    """The largest level that is not larger."""
    return max(level for level in LEVELS if level <= number)


def counted(count, other):
    """Both counts after a bit of the first kind."""
    count = min((level for level in LEVELS if level > count), default=count)
    if other > 2:
        other = floor_level(SMALLER[other])
    if count > 4 and other > 0 and count * other > 60:
        count = floor_level(60 // other)
    return count, other


def histories():
    """All histories (zeros, ones, which came last) and what each becomes after a bit."""
    known, order, after = {(0, 0, 0): 0}, [(0, 0, 0)], []
    for zeros, ones, _ in order:
        first, second = counted(zeros, ones), counted(ones, zeros)
        found = []
        for state in ((*first, 1 if first[1] else 0), (second[1], second[0], 2 if second[1] else 0)):
            if state not in known:
                known[state] = len(order)
                order.append(state)
            found.append(known[state])
        after.append(found)
    return order, np.array(after, dtype=np.uint8)


STATES, AFTER = histories()
PATHS = np.array([[(128 | byte) >> (DEPTH - depth) for depth in range(DEPTH)] for byte in range(128)])
BITS = np.array([[byte >> (6 - depth) & 1 for depth in range(DEPTH)] for byte in range(128)])
SIGNS = 2.0 * BITS - 1
SMALLEST = 1e-4
PARTS = [slice(1 << depth, 2 << depth) for depth in range(DEPTH)]
STARTS = np.cumsum((0, *SIZES[:-1]))
OFFSETS = (np.arange(CONTEXTS) * len(STATES))[:, None]
NODE_STEPS = np.arange(128) * STEPS
NOT_BITS = 1.0 - BITS
BIT_LISTS = BITS.tolist()


def learned():
    """Maps, how often each entry was seen, how sure guesses are, and weights: as the examples left them."""
    values = np.frombuffer(zlib.decompress(base64.b85decode(LEARNED)), dtype=np.int8).astype(float)
    place, weights = 0, []

    def take(count):
        nonlocal place
        place += count
        return values[place - count : place]

    for size in SIZES:
        change = take(size * DEPTH * INPUTS).reshape(size, DEPTH, INPUTS)
        weights.append(0.04 * (change + take(DEPTH * INPUTS).reshape(DEPTH, INPUTS)))
    entries, guesses = CONTEXTS * len(STATES), GUESSES * 64
    maps, counts = 0.1 * take(entries), np.minimum(2.0 ** take(entries) - 1, KNOWN)
    sure, sure_counts = 0.1 * take(guesses), np.minimum(2.0 ** take(guesses) - 1, KNOWN)
    last = 0.02 * take(DEPTH * len(SIZES)).reshape(DEPTH, -1)
    return (
        maps.astype(np.float32),
        counts,
        sure.reshape(GUESSES, -1).tolist(),
        sure_counts.reshape(GUESSES, -1).tolist(),
        np.concatenate(weights).astype(np.float32),
        last.astype(np.float32),
    )

class Model:
    """Predicts one stream, byte by byte."""

    def __init__(self):
        self.reader = Reader()
        self.maps, self.map_counts, self.sure, self.sure_counts, self.weights, self.last = learned()
        self.chances = 1 / (1 + np.exp(-self.maps))
        self.rows = [{} for _ in range(CONTEXTS)]
        self.histories, self.used = np.zeros((4096, 128), dtype=np.uint8), 0
        self.inputs = np.zeros((INPUTS, 128), dtype=np.float32)
        self.inputs[-1] = 0.3
        self.mixed, self.total = np.zeros((len(SIZES), 128), dtype=np.float32), np.zeros(128, dtype=np.float32)
        self.tables, self.time = {}, 0

    def find_rows(self, keys):
        """Where the histories of the contexts are."""
        found = []
        for rows, key in zip(self.rows, keys, strict=True):
            row = rows.get(key)
            if row is None:
                row = rows[key] = self.used
                self.used += 1
            found.append(row)
        if self.used > len(self.histories) - CONTEXTS:
            self.histories = np.concatenate([self.histories, np.zeros_like(self.histories)])
        return np.array(found)

    def situations(self, seen, above):
        """Which weights to use in each set."""
        reader, past = self.reader, self.reader.past
        best, score = 0, -9.0
        for number, guess in enumerate(self.guesses):
            if guess and self.sure[number][guess[1]] > score:
                score = self.sure[number][guess[1]]
                best = 1 + 4 * number
        if best:
            best += (score >= 1) + (score >= 2.2) + (score >= 3.5)
        token, kind = reader.token, 0
        if token:
            kind = 3
            if len(token) < 16 and not token.strip(b"0123456789abcdef"):
                kind = 1 if token.isdigit() else 2
        one, two = KIND[past[-1]], KIND[past[-2]]
        hits = 8 * sum(state > 0 for state in seen[2:8])
        hits += (seen[13] > 0) + 2 * (seen[14] > 0) + 4 * (seen[19] > 0)
        length = min(reader.lengths[0], 23)
        chosen = [0, length, one * 8 + two, KIND[above] * 8 + one, min(reader.place, 11) * 4 + kind, best, hits]
        return STARTS + np.array(chosen)

    def refine(self, total):
        """The chances of ones, corrected by how often such chances came true in two situations."""
        chances = 1 / (1 + np.exp(-total))
        lead = self.guesses[0] or self.guesses[1]
        lead = lead[0] if lead else -1
        place = (np.minimum(np.maximum(total, -7.9), 7.9) + 8) * ((STEPS - 1) / 16)
        low = place.astype(np.int64)
        self.high, low = place - low, low + NODE_STEPS
        self.low, self.refined = low, []
        corrected = 0.0
        for key in (self.reader.past[-1], (lead, min(self.reader.lengths[0], 15))):
            table = self.tables.get(key)
            if table is None:
                table = self.tables[key] = np.tile(1 / (1 + np.exp(8 - np.arange(STEPS) * 16 / (STEPS - 1))), 128)
            self.refined.append(table)
            start = table[low]
            corrected = corrected + start + (table[low + 1] - start) * self.high
        self.final = chances
        return chances * (1 - SHARE) + corrected * (SHARE / 2)

    def predict(self):
        """The probabilities of the 256 possible next bytes."""
        keys, above = self.reader.contexts()
        self.found = self.find_rows(keys)
        self.guesses = self.reader.guesses()
        states = self.histories[self.found]
        self.chosen = self.situations(states[:, 1].tolist(), above)
        self.places = states + OFFSETS
        inputs, mixed, total = self.inputs, self.mixed, self.total
        np.take(self.maps, self.places, out=inputs[:CONTEXTS], mode="clip")
        inputs[CONTEXTS:-1] = 0.0
        for number, guess in enumerate(self.guesses):
            if guess:
                inputs[CONTEXTS + number, PATHS[guess[0]]] = self.sure[number][guess[1]] * SIGNS[guess[0]]
        self.used_weights = self.weights[self.chosen]
        for depth, part in enumerate(PARTS):
            np.matmul(self.used_weights[:, depth], inputs[:, part], out=mixed[:, part])
        np.minimum(np.maximum(mixed, -9, out=mixed), 9, out=mixed)
        for depth, part in enumerate(PARTS):
            np.matmul(self.last[depth], mixed[:, part], out=total[part])
        chances = np.minimum(np.maximum(self.refine(total), SMALLEST), 1 - SMALLEST)
        steps = chances[PATHS]
        result = np.zeros(256)
        result[:128] = np.abs(NOT_BITS - steps).prod(axis=1)
        return result

    def update(self, byte):
        """Learns which byte came."""
        nodes, bits = PATHS[byte], BITS[byte]
        self.time += 1
        rate = MIX_RATE * (1 + 2 / (1 + self.time / 200))
        mixed, inputs = self.mixed[:, nodes], self.inputs[:, nodes].T
        errors = ((bits - 1 / (1 + np.exp(-mixed))) * rate).astype(np.float32)
        self.weights[self.chosen] = self.used_weights + errors[:, :, None] * inputs
        self.last += (((bits - self.final[nodes]) * LAST_RATE) * mixed).T
        low, high = self.low[nodes], self.high[nodes]
        for table in self.refined:
            table[low] += (bits - table[low]) * (TABLE_RATE * (1 - high))
            table[low + 1] += (bits - table[low + 1]) * (TABLE_RATE * high)
        rows = self.found[:, None]
        self.histories[rows, nodes] = AFTER[self.histories[rows, nodes], bits]
        self.learn_maps(self.places[:, nodes], bits)
        bits = BIT_LISTS[byte]
        for number, guess in enumerate(self.guesses):
            if guess:
                self.learn_guess(number, guess, bits)
        self.reader.update(byte)

    def learn_maps(self, places, bits):
        """Moves the log odds of the histories towards what came."""
        counts = self.map_counts[places] + 1
        self.map_counts[places] = counts
        np.add.at(self.chances, places, (bits - self.chances[places]) * np.maximum(1 / (counts + 1.5), MAP_RATE))
        chances = np.minimum(np.maximum(self.chances[places], 5e-4), 1 - 5e-4)
        self.chances[places] = chances
        self.maps[places] = np.log(chances / (1 - chances))

    def learn_guess(self, number, guess, bits):
        """Learns how sure a guess is in its situation."""
        byte, situation = guess
        chance, count = 1 / (1 + math.exp(-self.sure[number][situation])), self.sure_counts[number][situation]
        for expected, bit in zip(BIT_LISTS[byte], bits, strict=True):
            count += 1
            rate = max(1 / (count + 1.5), GUESS_RATE)
            if expected != bit:
                chance -= chance * rate
                break
            chance += (1 - chance) * rate
        self.sure_counts[number][situation] = count
        chance = min(max(chance, 0.02), 0.9995)
        self.sure[number][situation] = math.log(chance / (1 - chance))
