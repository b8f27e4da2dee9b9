"""The plain first solution: counts of character pairs, each with one added. Run: `python train.py`."""

import json
from pathlib import Path

import numpy as np


def main():
    alphabet = json.loads(Path("alphabet.json").read_text())
    place = {character: number for number, character in enumerate(alphabet)}
    codes = np.array([place[character] for character in Path("training.txt").read_text()])
    pairs = np.ones((len(alphabet), len(alphabet)), dtype=np.float32)
    np.add.at(pairs, (codes[:-1], codes[1:]), 1)
    np.savez("model.npz", alphabet=np.array([ord(each) for each in alphabet], dtype=np.int32), pairs=pairs)


if __name__ == "__main__":
    main()
