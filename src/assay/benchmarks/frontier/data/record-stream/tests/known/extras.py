"""The features of the next symbol of a text."""

import math

import numpy as np
from helpers import CLASS, LOG, SHAPE, SYMBOL, SYMBOLS, Confidence, Counts, as_arrays, intervals, spread
from parts import EVENTS, GUESSES, Reader

CONTEXTS = 25
SHORT_CONTEXTS, FIELD_CONTEXTS = (1, 2, 3, 4, 5, 6), (21, 14, 12, 7, 15, 8)
MATCH, STRINGS, NUMBERS, STATIC, BLENDS, ROWS = np.cumsum([2 * CONTEXTS, 2, GUESSES, 3, 2, 2]).tolist()
"""Where the rows of each part begin: matches, guessed tokens, numbers, learned tables, blends."""
POSITION = 3 * CONTEXTS + 2 * (GUESSES + 2) + 8 + 10 + 10


class Text:
    """All that is known of a text, and the features of its next symbol."""

    def __init__(self, static):
        self.static, self.reader = static, Reader()
        self.counts, self.confidence = Counts(CONTEXTS), Confidence()

    def keys(self):
        """The contexts of the next symbol."""
        reader = self.reader
        begun, field, history, key = reader.begun, reader.field, reader.history, reader.key
        column, place, above = len(reader.line), len(reader.tokens), reader.line_before
        high = above[column] if column < len(above) else "~"
        higher = above[column + 1] if column + 1 < len(above) else "~"
        values = reader.values.get(field)
        value = values[-1] if values else ""
        token_above = reader.tokens_before[place] if place < len(reader.tokens_before) else ""
        start = begun if begun else reader.separator + "|"
        shape = "".join([SHAPE[c] for c in begun[-3:]])
        last, before_last, _ = reader.last_tokens
        if reader.kind == EVENTS:
            special = [(key, reader.entity, start), (key, reader.since_key[-3:], start)]
        else:
            special = [(key, start), (reader.first, key, start)]
        return value, [
            *[0, history[-1:], history[-2:], history[-3:], history[-4:], history[-5:], history[-7:]],
            (field, begun),
            (field, value, begun),
            (last, reader.separator, begun),
            (before_last, last, reader.separator, begun),
            start,
            (place, reader.first, start),
            (column, high),
            (field, len(begun)),
            (field, last, begun),
            (field, before_last, begun),
            (token_above, place, start),
            (high, higher, history[-1]),
            (reader.first_before, place, start),
            (column, history[-1]),
            (field, shape, min(len(begun), 4)),
            (reader.words, start),
            *special,
        ]

    def features(self):
        """The rows of features of the symbols, and the features of the position."""
        reader = self.reader
        value, keys = self.keys()
        totals, kinds, last = self.counts.look(keys)
        rows, position = np.zeros((ROWS, SYMBOLS), np.float32), np.zeros(POSITION, np.float32)
        sums = np.array(totals, np.float32)
        rows[:CONTEXTS] = np.log((self.counts.matrix * SYMBOLS + 0.4) / (sums + 0.4)[:, None])
        for number, symbol in enumerate(last):
            if symbol >= 0:
                rows[CONTEXTS + number, symbol] = 1
        logs = np.log1p(sums)
        position[:CONTEXTS] = logs
        position[CONTEXTS : 2 * CONTEXTS] = sums > 0
        position[2 * CONTEXTS : 3 * CONTEXTS] = np.where(np.array(kinds) == 1, logs, 0)
        self.guessed = []
        self.add_matches(rows, position)
        self.add_tokens(rows, position)
        has_number = self.add_numbers(rows)
        self.add_blends(rows, totals, kinds)
        begun, size = reader.begun, len(reader.begun)
        position[-28 + reader.kind] = 1
        position[-20 + CLASS[reader.history[-1]]] = 1
        mixed = begun.isalnum() and not begun.isalpha() and not begun.isdigit()
        left = min(len(value) - size, 6) / 3 if value else 0
        position[-10:] = (
            *(has_number, size > 0, min(size, 8) / 4, LOG[reader.count] / 4, begun.isdigit(), begun.isalpha(), mixed),
            *(bool(value), left, reader.line_number == 0),
        )
        return rows, position

    def add_guess(self, rows, position, row, guess):
        """A guess of the next symbol with its confidence."""
        chance = self.confidence.chance(*guess[:3])
        rows[row] = math.log(1 - chance)
        rows[row, guess[3]] = math.log(chance * SYMBOLS)
        place = 3 * CONTEXTS + 2 * (row - MATCH)
        position[place : place + 2] = 1, math.log(chance / (1 - chance))
        self.guessed.append(guess)

    def add_matches(self, rows, position):
        """The symbols that followed the last similar places."""
        for number, (length, place) in enumerate(zip(self.reader.match_length, self.reader.match_at)):
            if length:
                length = min(length, 15)
                guess = (100 + number, length, length, self.reader.symbols[place])
                self.add_guess(rows, position, MATCH + number, guess)

    def add_tokens(self, rows, position):
        """The next symbols of guessed tokens."""
        reader, size = self.reader, len(self.reader.begun)
        for expert, token in enumerate(reader.guesses):
            if token and token.startswith(reader.begun):
                following = token[size] if size < len(token) else reader.ends.get(reader.number_field)
                if following is not None:
                    guess = (expert, reader.field, size, SYMBOL[following])
                    self.add_guess(rows, position, STRINGS + expert, guess)

    def add_numbers(self, rows):
        """The chances of digits by the numbers of the field; whether there are any."""
        reader, begun = self.reader, self.reader.begun
        numbers = reader.number_values
        if not numbers or (begun and not begun[0].isdigit()):
            return False
        value, form = numbers[-1]
        longest = max(len(str(number)) for number, _ in numbers[-8:]) - form[1] + 1 if form[0] < 2 else 0
        found = intervals(begun, form, longest)
        if not found:
            return False
        found, end = as_arrays(found), reader.ends.get(reader.number_field)
        end = SYMBOL[end] if end else 0
        cases = [(0, [number for number, _ in numbers[-20:]], 1)]
        if reader.steps:
            cases += [(value, reader.steps[-16:], 0), (value, reader.steps[-4:], 2)]
        for base, steps, row in cases:
            chances = spread(found, base, steps)
            chances[end] += chances[SYMBOLS]
            total = chances[:SYMBOLS].sum()
            if total > 1e-12:
                rows[NUMBERS + row] = np.log(chances[:SYMBOLS] / total * 0.99 * SYMBOLS + 0.01)
        return True

    def add_blends(self, rows, totals, kinds):
        """Learned tables, and two blends of contexts that begin with them."""
        history = self.reader.history
        a, b, c = (SHAPE[character] for character in history[-4:-1])
        shapes = b + c + SHAPE[history[-1]]
        keys = (a + b + c, history[-1]), (self.reader.kind, min(len(self.reader.begun), 6), shapes)
        for number, (table, key) in enumerate(zip(self.static, keys)):
            if key in table:
                rows[STATIC + number] = table[key]
        start = np.exp(rows[STATIC]) / SYMBOLS
        start /= start.sum()
        for number, contexts in enumerate((SHORT_CONTEXTS, FIELD_CONTEXTS)):
            chances = self.counts.blend(start, contexts, totals, kinds)
            rows[BLENDS + number] = np.log(chances * SYMBOLS + 1e-4)

    def update(self, symbol):
        """Learns which symbol came."""
        self.confidence.learn(self.guessed, symbol)
        self.counts.add(symbol)
        self.reader.read(symbol)
