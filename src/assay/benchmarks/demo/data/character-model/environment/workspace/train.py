"""The plain first solution: the share of each character after each other one. Run: `python train.py`."""

import json
from pathlib import Path

import numpy as np


def main():
    alphabet = json.loads(Path("alphabet.json").read_text())
    place = {character: number for number, character in enumerate(alphabet)}
    codes = np.array([place[character] for character in Path("training.txt").read_text()])
    pairs = np.ones((len(alphabet), len(alphabet)))
    np.add.at(pairs, (codes[:-1], codes[1:]), 1)
    np.savez("model.npz", pairs=np.log(pairs / pairs.sum(axis=1, keepdims=True)).astype(np.float32))


if __name__ == "__main__":
    main()
