"""Draws signals whose nonzero values stand in blocks, and few noisy measurements of each: `ASSAY_SEED=7 python draw.py`.

Writes workspace/problem.json (for solve.py) and truth/truth.json (for the score).
"""

import json
import os
from pathlib import Path

import numpy as np

SIGNALS, LENGTH, MEASUREMENTS = 300, 160, 38
BLOCKS, LONGEST = 5, 9
NOISE = 0.1
STRENGTH = 0.8


def signal(random):
    """One signal: some blocks of values that wander, and single spikes."""
    values = np.zeros(LENGTH)
    for _ in range(random.integers(2, BLOCKS + 1)):
        size = int(random.integers(2, LONGEST + 1))
        start = int(random.integers(0, LENGTH - size))
        level = random.normal(0.0, 1.0)
        for place in range(start, start + size):
            level = 0.7 * level + random.normal(0.0, STRENGTH)
            values[place] += level
    for place in random.integers(0, LENGTH, size=random.integers(0, 4)):
        values[place] += random.normal(0.0, 1.5)
    return values


def main():
    random = np.random.default_rng(int(os.environ.get("ASSAY_SEED", "7")))
    matrix = np.round(random.normal(0.0, MEASUREMENTS**-0.5, (MEASUREMENTS, LENGTH)), 4)
    signals = np.array([signal(random) for _ in range(SIGNALS)])
    measured = signals @ matrix.T + random.normal(0.0, NOISE, (SIGNALS, MEASUREMENTS))
    for folder in ("workspace", "truth"):
        Path(folder).mkdir(exist_ok=True)
    problem = {"matrix": matrix.tolist(), "measured": measured.round(4).tolist(), "noise": NOISE}
    Path("workspace/problem.json").write_text(json.dumps(problem))
    Path("truth/truth.json").write_text(json.dumps({"signals": signals.round(5).tolist()}))


if __name__ == "__main__":
    main()
