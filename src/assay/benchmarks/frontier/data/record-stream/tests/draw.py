"""Draws streams of machine-written records: `ASSAY_SEED=7 python draw.py`.

Writes truth/truth.json for the evaluator: each stream with its kind and with the bits of the plain model and of the
best known program.
"""

import os

os.environ["OPENBLAS_NUM_THREADS"] = "1"

import json
import math
import random
import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parent / "known")]
from families import FAMILIES  # noqa: E402
from measure import SMALLEST, plain_bits  # noqa: E402
from solve import Model  # noqa: E402

LENGTH, EACH = 1500, 2
"""Bytes of a stream, and streams of each family."""


def draw_stream(family, source, length=LENGTH):
    """The first bytes of a new stream of a family."""
    parts, size = [], 0
    for line in family(source):
        parts.append(line + "\n")
        size += len(line) + 1
        if size >= length:
            return "".join(parts)[:length]


def draw_streams(seed):
    """All streams with the numbers of their families, in random order."""
    source = random.Random(seed)
    streams = [(kind, draw_stream(family, source)) for kind, family in enumerate(FAMILIES) for _ in range(EACH)]
    source.shuffle(streams)
    return streams


def known_bits(stream):
    """The bits of the best known program."""
    model, bits = Model(), 0.0
    for byte in stream:
        bits -= math.log2(max(model.predict()[byte], SMALLEST))
        model.update(byte)
    return bits


def main():
    for folder in ("workspace", "truth"):
        Path(folder).mkdir(exist_ok=True)
    truth = []
    for kind, text in draw_streams(int(os.environ.get("ASSAY_SEED", "7"))):
        stream = text.encode()
        truth.append({"kind": kind, "text": text, "plain": plain_bits(stream), "known": known_bits(stream)})
    Path("truth/truth.json").write_text(json.dumps({"streams": truth}))


if __name__ == "__main__":
    main()
