"""Answers each line of prefixes with a line of probabilities; sees model.npz and nothing else."""

import json
import sys
import zlib

import numpy as np

ORDERS = 8
DISCOUNT = 0.75
LENGTHS, GATES = 12, 8
SPREAD = 2654435761


def key_of(context, character):
    """The 32 bits under which the count of a character after a context is kept."""
    return (zlib.crc32(context.encode()) * SPREAD + character * 40503) % 2**32


class Model:
    """Counts of contexts, and the trust in repeats."""

    def __init__(self, alphabet, keys, counts, trust):
        self.alphabet = [chr(code) for code in alphabet]
        self.place = {character: number for number, character in enumerate(self.alphabet)}
        self.keys, self.counts, self.trust = keys.astype(np.int64), counts.astype(float), trust
        self.step = np.arange(len(self.alphabet), dtype=np.uint64) * np.uint64(40503)
        self.after = {}

    def look_up(self, context):
        """The share of each character after a context and the weight of shorter ones; None where it is not kept."""
        if context not in self.after:
            start = np.uint64(zlib.crc32(context.encode()) * SPREAD % 2**32)
            wanted = ((start + self.step) % np.uint64(2**32)).astype(np.int64)
            at = np.minimum(np.searchsorted(self.keys, wanted), len(self.keys) - 1)
            found = np.where(self.keys[at] == wanted, self.counts[at], 0.0)
            total = found.sum()
            share = np.maximum(found - DISCOUNT, 0.0) / total if total else None
            self.after[context] = None if share is None else (share, 1.0 - share.sum())
        return self.after[context]

    def contexts(self, prefix):
        """Probabilities from the contexts alone."""
        text = "\n" + prefix
        result = np.full(len(self.alphabet), 1.0 / len(self.alphabet))
        for order in range(min(ORDERS, len(text)) + 1):
            kept = self.look_up(text[len(text) - order :])
            if kept is not None:
                result = kept[0] + kept[1] * result
        return result

    def repeat(self, prefix):
        """The length of the longest earlier occurrence of the prefix's end, and what came after it."""
        best = None
        for length in range(1, LENGTHS):
            if length >= len(prefix):
                break
            at = prefix.rfind(prefix[-length:], 0, len(prefix) - 1)
            if at < 0:
                break
            best = length, self.place[prefix[at + length]]
        return best

    def gate(self, probability):
        """The row of the trust table for a guess that the contexts find this likely."""
        return min(GATES - 1, int(-np.log2(max(probability, 1e-9))))

    def predict(self, prefix):
        """Probabilities of the next character."""
        result = self.contexts(prefix)
        repeat = self.repeat(prefix)
        if repeat is not None:
            length, guess = repeat
            trust = float(self.trust[length, self.gate(result[guess])])
            others = 1.0 - result[guess]
            if others > 1e-12:
                result = result * ((1.0 - trust) / others)
                result[guess] = trust
        return result / result.sum()


def main():
    stored = np.load("model.npz")
    model = Model(*(stored[name] for name in ("alphabet", "keys", "counts", "trust")))
    for line in sys.stdin:
        rows = [model.predict(prefix).round(7).tolist()[:-1] for prefix in json.loads(line)["prefixes"]]
        print(json.dumps({"probabilities": rows}), flush=True)


if __name__ == "__main__":
    main()
