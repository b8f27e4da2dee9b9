"""Character contexts of up to eight characters, pruned to the parameter limit, and how far to trust a repeat.

Each context kept stores all its next characters (one hash and one count each), so its total and its share for the
unseen are known. Contexts are kept by how many bits they save over the next shorter one, for each number they cost.
The second part is a table of trust: how often the character after the longest earlier occurrence of the
prefix's end is right, by the length of that occurrence and by how likely the contexts find it.
Run: `python train.py`.
"""

import json
from math import log2
from pathlib import Path

import numpy as np

from counting import count_contexts, probabilities
from predict import GATES, LENGTHS, ORDERS, Model, key_of

LIMIT = 12_000


def choose(counts, budget):
    """The contexts that save most bits for each stored number."""
    found = probabilities(counts)
    worth = []
    for order in range(1, ORDERS + 1):
        for context, after in counts[order].items():
            shorter, longer = found[context[1:]], found[context]
            saved = sum(number * log2(longer[each] / shorter[each]) for each, number in after.items())
            worth.append((saved / len(after), context))
    worth.sort(reverse=True)
    chosen, left = [], budget // 2 - len(counts[0][""])
    for gain, context in worth:
        size = len(counts[len(context)][context])
        if gain > 0 and size <= left:
            chosen.append(context)
            left -= size
    return ["", *chosen]


def fit(text, alphabet, budget):
    """The arrays of the contexts."""
    counts = count_contexts(text)
    stored = {}
    for context in choose(counts, budget):
        for character, number in counts[len(context)][context].items():
            stored.setdefault(key_of(context, alphabet.index(character)), min(number, 65535))
    keys = np.array(sorted(stored), dtype=np.uint32)
    return keys, np.array([stored[key] for key in keys.tolist()], dtype=np.uint16)


def fit_trust(model, entries):
    """How often a repeat is right, on entries that the contexts have not seen."""
    right, tried = np.ones((LENGTHS, GATES)), np.full((LENGTHS, GATES), 2.0)
    for entry in entries:
        for place in range(1, len(entry)):
            repeat = model.repeat(entry[:place])
            if repeat is not None:
                length, guess = repeat
                gate = model.gate(model.contexts(entry[:place])[guess])
                tried[length, gate] += 1
                right[length, gate] += model.alphabet[guess] == entry[place]
    return (right / tried).astype(np.float32)


def main():
    alphabet = json.loads(Path("alphabet.json").read_text())
    entries = Path("training.txt").read_text().splitlines(keepends=True)
    cut = len(entries) * 7 // 8
    budget = LIMIT - len(alphabet) - LENGTHS * GATES
    codes = np.array([ord(each) for each in alphabet], dtype=np.int32)
    first = Model(codes, *fit("".join(entries[:cut]), alphabet, budget), np.zeros((LENGTHS, GATES)))
    trust = fit_trust(first, entries[cut:])
    keys, counts = fit("".join(entries), alphabet, budget)
    np.savez("model.npz", alphabet=codes, keys=keys, counts=counts, trust=trust)


if __name__ == "__main__":
    main()
