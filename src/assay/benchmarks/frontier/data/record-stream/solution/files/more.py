"""Reads a dump of bytes: records of a fixed size, written as hexadecimal digits beside their text."""

import math
from collections import Counter

import numpy as np
from helpers import LOG, SHAPE, SYMBOL, SYMBOLS, CHARACTERS, Confidence, Counts, as_arrays, spread

DIGITS = "0123456789abcdef"
CONTEXTS, GUESSES = 16, 6
RECORD_CONTEXTS = (4, 6, 5, 8)
STRINGS, STEPS, BLEND, STATIC, ROWS = np.cumsum([2 * CONTEXTS, GUESSES, 2, 1, 3]).tolist()
"""Where the rows of each part begin: guessed bytes, steps, a blend, learned tables."""
POSITION = 3 * CONTEXTS + 2 * GUESSES + 2 + 24
CERTAIN, FIRST_DIGIT, SECOND_DIGIT, LAYOUT = range(4)
"""What the next symbol is; the layout is open only in the first line."""
SHORTEST, LONGEST = 4, 40
"""Bytes of a record."""


def signed(step):
    """A step between bytes, from -128 to 127."""
    return ((step + 128) & 255) - 128


class Dump:
    """All that is known of a dump, and the features of its next symbol. Its first ten characters are known."""

    def __init__(self, head, static):
        self.static, self.offset = static, int(head[:8], 16)
        self.counts, self.confidence, self.guessed = Counts(CONTEXTS), Confidence(), []
        self.line, self.line_number, self.line_bytes = head, 0, 0
        self.data, self.digit = [], ""
        self.per_line = self.group = self.size = 0
        self.repeats = [0] * (LONGEST + 1)
        self.find_phase()

    def find_phase(self):
        """Decides what comes next, and which symbol it is where that is certain."""
        line, done = self.line, self.line_bytes
        self.phase, self.certain = CERTAIN, -1
        if len(line) < 10:
            self.certain = SYMBOL[f"{self.offset & 0xFFFFFFFF:08x}  "[len(line)]]
        elif "|" in line:
            place = len(line) - line.index("|") - 1
            if place < done:
                byte = self.data[len(self.data) - done + place]
                self.certain = SYMBOL[chr(byte)] if 32 <= byte < 127 else SYMBOL["."]
            else:
                self.certain = SYMBOL["|" if place == done else "\n"]
        elif self.digit:
            self.phase = SECOND_DIGIT
        elif self.per_line:
            if done == self.per_line:
                self.certain = SYMBOL["|" if line.endswith("  ") else " "]
            elif done and done % self.group == 0 and line[-1] != " ":
                self.certain = SYMBOL[" "]
            else:
                self.phase = FIRST_DIGIT
        else:
            self.find_first_phase(line, done)

    def find_first_phase(self, line, done):
        """The same in the first line."""
        if len(line) == 10:
            self.phase = FIRST_DIGIT
        elif line.endswith("  "):
            self.certain = SYMBOL["|"]
        elif not self.group or line[-1] == " ":
            self.phase = LAYOUT
        elif done % self.group == 0:
            self.certain = SYMBOL[" "]
        else:
            self.phase = FIRST_DIGIT

    def find_length(self, place):
        """The nearest byte that may be the length of a word: its distance and its value."""
        for distance in range(1, min(8, place) + 1):
            byte = self.data[place - distance]
            if 1 <= byte <= 8:
                return distance, byte
            if not (97 <= byte <= 122 or byte == 0):
                break
        return 9, 0

    def keys(self, place, digit):
        """The contexts of a digit, and its keys in the learned tables."""
        data, size = self.data, self.size
        one, two, three = (data[place - back] if place >= back else -1 for back in (1, 2, 3))
        column = place % size if size else -1
        above = after_above = -1
        if size and place >= size:
            above = data[place - size]
            after_above = data[place - size + 1] if size > 1 else -1
        distance, length = self.find_length(place)
        word = tuple(data[place - distance + 1 : place]) if length else -1
        zeros = 0
        while zeros < 8 and place > zeros and data[place - zeros - 1] == 0:
            zeros += 1
        left = length - distance if length else 9
        shape = (SHAPE[chr(two)] if 97 <= two <= 122 else "x", chr(one) if 97 <= one <= 122 else "x")
        limited = max(left, -1)
        static = (min(limited, 6), distance if length else 0, digit), (shape, min(limited, 2), digit)
        return static, [
            *[digit, (one, digit), (two, one, digit), (three, two, one, digit)],
            *[(column, digit), (column, above, digit), (column, one, digit), (column, two, one, digit)],
            *[(column, above, one, digit), (word, length, digit), (word, length, column, digit)],
            *[(left, distance, digit), (column, left, digit), (column, zeros, digit)],
            *[(column, above, after_above, digit), (left, shape, digit)],
        ]

    def steps(self, place, most):
        """The steps between the last bytes of the same column, the last one first."""
        data, size = self.data, self.size
        return [
            data[place - back * size] - data[place - (back + 1) * size]
            for back in range(1, min(place // size, most))
        ]

    def guess(self, place):
        """Guessed bytes: the last one of the column, and others with a step or a carry."""
        data, size, guesses = self.data, self.size, [-1] * GUESSES
        if not size or place < size:
            return guesses
        byte = guesses[0] = data[place - size]
        if place < 2 * size:
            return guesses
        guesses[1] = (byte + byte - data[place - 2 * size]) & 255
        turn = data[place - 1] - data[place - 1 - size]
        guesses[2] = (byte + (turn < -128) - (turn > 128)) & 255
        after = data[place + 1 - size]
        coming = after + signed(after - data[place + 1 - 2 * size])
        guesses[3] = (byte + (coming > 255) - (coming < 0)) & 255
        usual = Counter(step & 255 for step in self.steps(place, len(data))).most_common(2)
        for number, (step, _) in enumerate(usual):
            guesses[4 + number] = (byte + step) & 255
        return guesses

    def add_byte(self, byte):
        """Adds a byte, and counts again if the size of records now seems to be another one."""
        data = self.data
        data.append(byte)
        for size in range(SHORTEST, min(LONGEST, len(data) - 1) + 1):
            self.repeats[size] += data[-1 - size] == byte
        sizes = range(SHORTEST, min(LONGEST, len(data) - 4) + 1)
        best = max(sizes, key=self.worth, default=0)
        if not best or self.worth(best) <= 0 or self.repeats[best] < 3 or best == self.size:
            return
        if self.size and self.worth(best) <= self.worth(self.size) + 0.03:
            return
        self.size, self.counts = best, Counts(CONTEXTS)
        for place, old in enumerate(data):
            first, second = f"{old:02x}"
            for digit, following in (("", first), (first, second)):
                self.counts.choose(self.keys(place, digit)[1])
                self.counts.add(SYMBOL[following])

    def worth(self, size):
        """How well a size of records explains repeated bytes."""
        return (self.repeats[size] + 0.3) / (len(self.data) - size + 4) - 0.008 * size

    def features(self):
        """The rows of features of the symbols, and the features of the position."""
        rows, position = np.zeros((ROWS, SYMBOLS), np.float32), np.zeros(POSITION, np.float32)
        self.guessed = []
        if self.phase == CERTAIN:
            rows[ROWS - 1, self.certain] = 1
        else:
            self.add_digits(rows, position)
        done, is_open, known = self.line_bytes, self.phase == LAYOUT, len(self.data)
        position[-26 + self.phase] = 1
        position[-22:] = (
            *(bool(self.digit), self.line_number == 0, is_open and done == 8, is_open and done == 12),
            *(is_open and done == 16, is_open and self.group == 0, is_open and self.line[-1] == " "),
            *(self.size > 0, LOG[known] / 4, is_open and done > 16, is_open and done == 1, is_open and done == 2),
            *(is_open and done == 4, self.digit == "6", self.digit == "7", self.digit == "0"),
            *(0 < 2 * self.size <= known, 0 < 3 * self.size <= known, is_open and done == 3),
            *(is_open and done % 4 == 0, 0, 0),
        )
        return rows, position

    def add_digits(self, rows, position):
        """The features of a digit."""
        place = len(self.data)
        static, keys = self.keys(place, self.digit)
        totals, kinds, last = self.counts.look(keys)
        sums = np.array(totals, np.float32)
        rows[:CONTEXTS] = np.log((self.counts.matrix * 16 + 0.3) / (sums + 0.3)[:, None])
        for number, symbol in enumerate(last):
            if symbol >= 0:
                rows[CONTEXTS + number, symbol] = 1
        logs = np.log1p(sums)
        position[:CONTEXTS] = logs
        position[CONTEXTS : 2 * CONTEXTS] = sums > 0
        position[2 * CONTEXTS : 3 * CONTEXTS] = np.where(np.array(kinds) == 1, logs, 0)
        self.add_guesses(rows, position, place)
        if self.size and place >= 2 * self.size:
            self.add_steps(rows, place)
        chances = self.counts.blend(np.full(SYMBOLS, 1 / 16), RECORD_CONTEXTS, totals, kinds)
        rows[BLEND] = np.log(chances * 16 + 1e-3)
        for number, (table, key) in enumerate(zip(self.static, static)):
            if key in table:
                rows[STATIC + number] = table[key]

    def add_guesses(self, rows, position, place):
        """The digits of guessed bytes with their confidence."""
        field, length = (place % self.size if self.size else -1, bool(self.digit)), len(self.digit)
        for expert, byte in enumerate(self.guess(place)):
            digits = f"{byte & 255:02x}"
            if byte < 0 or (self.digit and digits[0] != self.digit):
                continue
            symbol = SYMBOL[digits[length]]
            chance = self.confidence.chance(expert, field, length)
            rows[STRINGS + expert] = math.log(1 - chance)
            rows[STRINGS + expert, symbol] = math.log(chance * 16)
            at = 3 * CONTEXTS + 2 * expert
            position[at : at + 2] = 1, math.log(chance / (1 - chance))
            self.guessed.append((expert, field, length, symbol))

    def add_steps(self, rows, place):
        """The chances of digits by the last steps of the column."""
        steps = [signed(step) for step in self.steps(place, 14)]
        if not steps:
            return
        start, width = (16 * int(self.digit, 16), 1) if self.digit else (0, 16)
        found = []
        for number, digit in enumerate(DIGITS):
            low = start + number * width
            found += [(SYMBOL[digit], low + turn, low + width + turn) for turn in (-256, 0, 256)]
        found = as_arrays(found)
        for number, some in enumerate((steps, steps[:4])):
            chances = spread(found, self.data[place - self.size], some)[:SYMBOLS]
            total = chances.sum()
            if total > 1e-12:
                rows[STEPS + number] = np.log(chances / total * 16 * 0.99 + 0.01)

    def update(self, symbol):
        """Learns which symbol came."""
        character = CHARACTERS[symbol]
        self.confidence.learn(self.guessed, symbol)
        if self.phase and character in DIGITS:
            self.counts.add(symbol)
            if self.digit:
                byte, self.digit = int(self.digit + character, 16), ""
                self.line_bytes += 1
                self.add_byte(byte)
            else:
                self.digit = character
        elif character == " " and not self.group and len(self.line) > 10:
            self.group = self.line_bytes
        self.line += character
        if character == "|" and not self.per_line:
            self.per_line = self.line_bytes
        if character == "\n":
            self.offset += self.line_bytes
            self.line, self.line_bytes = "", 0
            self.line_number += 1
        self.find_phase()
