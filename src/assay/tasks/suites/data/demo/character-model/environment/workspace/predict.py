"""Answers each line of prefixes with a line of probabilities; sees model.npz and nothing else."""

import json
import sys

import numpy as np


def main():
    model = np.load("model.npz")
    alphabet = [chr(code) for code in model["alphabet"]]
    place = {character: number for number, character in enumerate(alphabet)}
    pairs = model["pairs"] / model["pairs"].sum(axis=1, keepdims=True)
    for line in sys.stdin:
        rows = [pairs[place[prefix[-1:] or "\n"]].tolist() for prefix in json.loads(line)["prefixes"]]
        print(json.dumps({"probabilities": rows}), flush=True)


if __name__ == "__main__":
    main()
