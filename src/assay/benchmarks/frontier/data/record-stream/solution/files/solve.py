"""Mixes the features of extras.py and more.py with networks that learned from examples and go on learning."""

import numpy as np
from extras import Text
from helpers import BYTES, CHARACTERS, SYMBOL_FEATURES, SYMBOL_OF_BYTE, SYMBOLS
from more import CERTAIN, DIGITS, Dump
from tables import load_network, load_tables

RATE, SMALLEST = 0.0003, 2e-6


class Mixer:
    """A small network that weighs the features; a correction of its weights is learned in the stream."""

    def __init__(self, name):
        self.parts = load_network(name)
        self.symbols = self.parts["Vs"] @ SYMBOL_FEATURES.T + self.parts["vb"][:, None]
        self.correction = np.zeros(self.parts["W2"].shape[1], np.float32)

    def chances(self, rows, position):
        """The probabilities of the symbols."""
        parts = self.parts
        hidden = np.maximum(position @ parts["W1"] + parts["b1"], 0)
        weights = hidden @ parts["W2"] + parts["b2"] + self.correction
        units = np.maximum(parts["V1"] @ rows + self.symbols + (hidden @ parts["Vh"])[:, None], 0)
        scores = weights @ rows + parts["v2"] @ units + SYMBOL_FEATURES @ (hidden @ parts["Ws"]) + parts["bs"]
        powers = np.exp(scores - scores.max())
        self.rows, self.last = rows, powers / powers.sum()
        return self.last

    def learn(self, symbol):
        """Learns which symbol came."""
        error = -self.last
        error[symbol] += 1
        self.correction += RATE * (self.rows @ error)


class Pair:
    """The geometric mean of two mixers."""

    def __init__(self):
        self.first, self.second = Mixer("first"), Mixer("second")

    def chances(self, rows, position):
        """The probabilities of the symbols."""
        mixed = self.first.chances(rows, position) ** 0.55 * self.second.chances(rows, position) ** 0.45
        return mixed / mixed.sum()

    def learn(self, symbol):
        """Learns which symbol came."""
        self.first.learn(symbol)
        self.second.learn(symbol)


class Model:
    """Predicts one stream, byte by byte."""

    def __init__(self):
        self.reader, self.mixer = Text(load_tables("text", SYMBOLS)), Pair()
        self.head, self.is_dump, self.is_regular = "", False, True

    def is_certain(self):
        """Whether the next byte follows from the layout of a dump."""
        return self.is_dump and self.is_regular and self.reader.phase == CERTAIN

    def predict(self):
        """The probabilities of the 256 possible next bytes."""
        result = np.zeros(256)
        if self.is_certain():
            self.reader.guessed = []
            result[BYTES] = 1e-4 / SYMBOLS
            result[BYTES[self.reader.certain]] += 1 - 1e-4
            return result / result.sum()
        chances = self.mixer.chances(*self.reader.features()).astype(float)
        chances = chances * (1 - SYMBOLS * SMALLEST) + SMALLEST
        result[BYTES] = chances / chances.sum()
        return result

    def update(self, byte):
        """Learns which byte came."""
        symbol = SYMBOL_OF_BYTE[byte]
        if self.is_certain():
            self.is_regular = self.reader.certain == symbol
        else:
            self.mixer.learn(symbol)
        self.reader.update(symbol)
        if len(self.head) < 10:
            self.head += CHARACTERS[symbol]
            if len(self.head) == 10 and self.head.endswith("  ") and set(self.head[:8]) <= set(DIGITS):
                self.reader, self.mixer = Dump(self.head, load_tables("dump", 16)), Mixer("dump")
                self.is_dump = True
