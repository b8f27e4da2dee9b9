"""What both readers share: symbols, counts in contexts, confidence in guesses, and chances of numbers."""

import math

import numpy as np

SYMBOLS = 96
BYTES = [10, *range(32, 127)]
SYMBOL_OF_BYTE = {byte: symbol for symbol, byte in enumerate(BYTES)}
CHARACTERS = [chr(byte) for byte in BYTES]
SYMBOL = {character: symbol for symbol, character in enumerate(CHARACTERS)}
GROUPS = ("aeiou", "AEIOU", "0123456789", "bcdfghjklmnpqrstvwxyz", "BCDFGHJKLMNPQRSTVWXYZ", "\n", " ", '":=,', "._-/#")


def class_of(character):
    """The number of the group of a character; all others are in the last one."""
    return next((number for number, group in enumerate(GROUPS) if character in group), len(GROUPS))


CLASS = {character: class_of(character) for character in CHARACTERS}
SHAPE = {character: "vVdcC"[CLASS[character]] if CLASS[character] < 5 else character for character in CHARACTERS}
SYMBOL_FEATURES = np.array(
    [
        [*(CLASS[c] == number for number in range(10)), c in "abcdef", c in "klnrstm", c == "0", c in "jqwxy"]
        for c in CHARACTERS
    ],
    np.float32,
)
LOG = [math.log(1 + number) for number in range(4000)]


class Counts:
    """Counts of the symbols in a number of contexts."""

    def __init__(self, size):
        self.tables = [{} for _ in range(size)]
        self.matrix = np.zeros((size, SYMBOLS), np.float32)

    def choose(self, keys):
        """Sets the contexts of the next symbol."""
        self.keys = keys
        self.entries = [table.get(key) for table, key in zip(self.tables, keys)]

    def look(self, keys):
        """Fills the matrix of counts; returns, for each context, its count, its number of symbols and its last one."""
        self.choose(keys)
        self.matrix[:] = 0
        rows, columns, values = [], [], []
        totals, kinds, last = [], [], []
        for number, entry in enumerate(self.entries):
            if entry is None:
                totals.append(0)
                kinds.append(0)
                last.append(-1)
            else:
                counts = entry[0]
                rows += [number] * len(counts)
                columns += counts.keys()
                values += counts.values()
                totals.append(entry[1])
                kinds.append(len(counts))
                last.append(entry[2])
        self.matrix[rows, columns] = values
        return totals, kinds, last

    def add(self, symbol):
        """Counts a symbol in the chosen contexts."""
        for number, entry in enumerate(self.entries):
            if entry is None:
                self.tables[number][self.keys[number]] = [{symbol: 1}, 1, symbol]
            else:
                counts = entry[0]
                counts[symbol] = counts.get(symbol, 0) + 1
                entry[1] += 1
                entry[2] = symbol

    def blend(self, chances, contexts, totals, kinds):
        """The chances with the counts of contexts mixed in, one after the other."""
        for number in contexts:
            if totals[number]:
                share = 0.3 + 0.5 * kinds[number]
                chances = (self.matrix[number] + share * chances) / (totals[number] + share)
        return chances


class Confidence:
    """How often the guesses of an expert were right, in general and for one field."""

    def __init__(self):
        self.general, self.special = {}, {}

    def chance(self, expert, field, length):
        """The chance that the next guess is right."""
        general = self.general.get((expert, min(length, 4)))
        chance = 0.4 if general is None else general[0] / general[1]
        special = self.special.get((expert, field, min(length, 12)))
        if special is None:
            return chance * 0.96 + 0.02
        return (special[0] + 1.2 * chance + 0.02) / (special[1] + 1.24)

    def learn(self, guesses, symbol):
        """Learns from the symbol that came: guesses are (expert, field, length, guessed symbol)."""
        for expert, field, length, guessed in guesses:
            hit = 1.0 if guessed == symbol else 0.0
            general = self.general.setdefault((expert, min(length, 4)), [0.8, 2.0])
            general[0] = general[0] * 0.98 + hit
            general[1] = general[1] * 0.98 + 1
            key = (expert, field, min(length, 12))
            special = self.special.get(key)
            if special is None:
                self.special[key] = [hit, 1]
            else:
                special[0] = special[0] * 0.93 + hit
                special[1] = special[1] * 0.93 + 1


PLAIN, DECIMAL, MILLISECONDS, DATE, CLOCK = range(5)
"""Kinds of numbers. A format is (kind, decimals or text in front, width if there are zeros in front)."""


def seconds(text):
    """The seconds of hh:mm:ss; None for anything else."""
    digits = text[:2] + text[3:5] + text[6:8]
    if not digits.isdigit():
        return None
    return (int(text[:2]) * 60 + int(text[3:5])) * 60 + int(text[6:8])


def parse(token):
    """(value, format) of a token that is like a number; None for others."""
    if token.isdigit():
        if len(token) > 12:
            return None
        return int(token), (PLAIN, 0, len(token) if token[0] == "0" and len(token) > 1 else 0)
    if "." in token and ":" not in token:
        whole, _, part = token.partition(".")
        if whole.isdigit() and part.isdigit() and len(whole) < 12 and len(part) < 5:
            return int(whole + part), (DECIMAL, len(part), 0)
        return None
    if len(token) == 12 and token[2] == ":" == token[5] and token[8] == ".":
        value = seconds(token[:8])
        if value is not None and token[9:].isdigit():
            return value * 1000 + int(token[9:]), (MILLISECONDS, "", 0)
    if len(token) == 8 and token[2] == ":" == token[5]:
        value = seconds(token)
        if value is not None:
            return value, (CLOCK, "", 0)
    if len(token) == 20 and token[10] == "T":
        value = seconds(token[11:19])
        if value is not None:
            return value, (DATE, token[:11], 0)
    return None


def write(value, form):
    """A value as text."""
    if value < 0:
        return ""
    kind = form[0]
    if kind == PLAIN:
        return str(value).zfill(form[2]) if form[2] else str(value)
    if kind == DECIMAL:
        text = str(value).zfill(form[1] + 1)
        return text[: -form[1]] + "." + text[-form[1] :]
    rest = ""
    if kind == MILLISECONDS:
        value, part = divmod(value, 1000)
        rest = f".{part:03d}"
    clock = f"{value // 3600 % 24:02d}:{value // 60 % 60:02d}:{value % 60:02d}"
    return form[1] + clock + ("Z" if kind == DATE else rest)


CLOCK_STEPS = [36000, 3600, None, 600, 60, None, 10, 1]
STEPS = {
    MILLISECONDS: [None if step is None else step * 1000 for step in CLOCK_STEPS] + [None, 100, 10, 1],
    DATE: [None] * 11 + CLOCK_STEPS + [None],
    CLOCK: CLOCK_STEPS,
}
END = -1


def digit_intervals(value, step):
    """The intervals of the ten digits that may follow."""
    return [(SYMBOL[str(digit)], value + digit * step, value + (digit + 1) * step) for digit in range(10)]


def time_intervals(begun, form):
    """The same as `intervals` for times."""
    steps, pattern = STEPS[form[0]], write(0, form)
    if len(begun) > len(steps):
        return None
    value = 0
    for character, step, expected in zip(begun, steps, pattern):
        if step is None:
            if character != expected:
                return None
        elif not character.isdigit():
            return None
        else:
            value += step * int(character)
    if len(begun) == len(steps):
        return [(END, value, value + 1)]
    if steps[len(begun)] is None:
        return [(SYMBOL[pattern[len(begun)]], value, value + 1)]
    return digit_intervals(value, steps[len(begun)])


def fixed_intervals(value, left):
    """The same for a number with a known number of digits left."""
    value *= 10**left
    return digit_intervals(value, 10 ** (left - 1)) if left else [(END, value, value + 1)]


def intervals(begun, form, longest):
    """What may follow the begun text of a number: a list of (symbol or END, lowest value, end of values)."""
    kind, decimals, width = form
    if kind >= MILLISECONDS:
        return time_intervals(begun, form)
    if kind == DECIMAL and "." in begun:
        whole, _, part = begun.partition(".")
        if not (whole.isdigit() and (not part or part.isdigit())) or len(part) > decimals:
            return None
        return fixed_intervals(int(whole + part), decimals - len(part))
    if begun and not begun.isdigit():
        return None
    if width:
        return fixed_intervals(int(begun or "0"), width - len(begun)) if len(begun) <= width else None
    found, scale, value = [], 10**decimals, int(begun or "0")
    if begun:
        found.append((SYMBOL["."] if kind == DECIMAL else END, value * scale, (value + 1) * scale))
        if value == 0:
            return found
    for extra in range(1, max(1, longest - len(begun)) + 1):
        step = 10 ** (extra - 1)
        for digit in range(0 if begun or extra == 1 else 1, 10):
            low = (value * 10 + digit) * step
            found.append((SYMBOL[str(digit)], low * scale, (low + step) * scale))
    return found


def as_arrays(found):
    """The intervals as arrays for `spread`."""
    symbols, low, high = zip(*found)
    return np.array([SYMBOLS if s == END else s for s in symbols]), np.array(low, float), np.array(high, float)


HALF = np.array([0.5])


def spread(found, base, steps):
    """The chances of symbols if the number is the base and a step like those before, and of END as the last one."""
    up, down = sum(step > 0 for step in steps), sum(step < 0 for step in steps)
    sizes = [abs(step) for step in steps if step]
    total = len(steps) + 0.45
    same = (len(steps) - up - down + 0.15) / total
    up, down = (up + 0.15) / total, (down + 0.15) / total
    symbols, low, high = found
    size = len(symbols)
    low, high = low - base, high - base
    points = np.concatenate((HALF, high - 0.5, low - 0.5, 0.5 - low, 0.5 - high))
    np.maximum(points, 0.5, out=points)
    points **= 1.7
    scales = np.array(sizes if sizes else [2.7], float) ** 1.7
    points = points[:, None]
    below = (points / (points + scales)).sum(1) / len(scales)
    below = (below - below[0]) / (1 - below[0] + 1e-12)
    above = below[1 : size + 1] - below[size + 1 : 2 * size + 1]
    chances = up * above + down * (below[2 * size + 1 : 3 * size + 1] - below[3 * size + 1 :])
    chances += same * ((low <= 0) & (high > 0))
    return np.bincount(symbols, chances, SYMBOLS + 1)
