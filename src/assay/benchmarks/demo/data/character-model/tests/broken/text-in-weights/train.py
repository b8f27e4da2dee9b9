"""Packs training text into the parameters, five bits to each, as levels that the noise leaves apart.

Run: `python train.py`.
"""

import bz2
from pathlib import Path

import numpy as np

from predict import BITS, PARAMETERS


def main():
    text = Path("training.txt").read_bytes()
    size = 1000
    while len(bz2.compress(text[: size + 1000])) * 8 <= PARAMETERS * BITS:
        size += 1000
    packed = np.unpackbits(np.frombuffer(bz2.compress(text[:size]), dtype=np.uint8))
    packed = np.append(packed, np.zeros(PARAMETERS * BITS - len(packed), dtype=np.uint8)).reshape(-1, BITS)
    levels = packed @ (2 ** np.arange(BITS))
    np.savez("model.npz", text=(levels - (2**BITS - 1) / 2).astype(np.float32))


if __name__ == "__main__":
    main()
