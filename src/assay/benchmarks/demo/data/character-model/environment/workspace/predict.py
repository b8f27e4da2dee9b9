"""Answers each line of prefixes with a line of probabilities; sees model.npz and alphabet.json, nothing else."""

import json
import sys
from pathlib import Path

import numpy as np


def main():
    alphabet = json.loads(Path("alphabet.json").read_text())
    place = {character: number for number, character in enumerate(alphabet)}
    pairs = np.exp(np.load("model.npz")["pairs"].astype(float))
    pairs /= pairs.sum(axis=1, keepdims=True)
    for line in sys.stdin:
        rows = [pairs[place[prefix[-1:] or "\n"]].tolist() for prefix in json.loads(line)["prefixes"]]
        print(json.dumps({"probabilities": rows}), flush=True)


if __name__ == "__main__":
    main()
