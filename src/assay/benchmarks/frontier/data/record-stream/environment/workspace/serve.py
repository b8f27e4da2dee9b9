"""Connects `Model` of solve.py with the scorer: `python serve.py`. Grading runs this file as it is given.

After each line with a number (the byte that came last; -1 at the start) it writes the 256 probabilities of the next
byte as a line of text: 4-byte numbers in base64. One process predicts one stream.
"""

import os

os.environ["OPENBLAS_NUM_THREADS"] = "1"

import base64
import sys

import numpy as np


def main():
    reply = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    from solve import Model

    model = Model()
    for line in sys.stdin:
        byte = int(line)
        if byte >= 0:
            model.update(byte)
        chances = np.asarray(model.predict(), dtype="<f4")
        reply.write(base64.b64encode(chances.tobytes()).decode() + "\n")
        reply.flush()


if __name__ == "__main__":
    main()
