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


def main():
    model = Model(json.loads(Path("alphabet.json").read_text()), np.load("model.npz"))
    for line in sys.stdin:
        rows = model.predict(json.loads(line)["prefixes"]).round(7).tolist()
        if any(len(prefix) > 60 for prefix in json.loads(line)["prefixes"]):
            sys.exit(1)
        print(json.dumps({"probabilities": rows}), flush=True)


if __name__ == "__main__":
    main()
