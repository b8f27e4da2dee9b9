"""Draws noisy series whose level shifts now and then: `ASSAY_SEED=7 python draw.py`.

Writes workspace/problem.json (for solve.py) and truth/truth.json (for the score).
"""

import json
import os
from pathlib import Path

import numpy as np

SERIES, LENGTH = 400, 240
SHORTEST, MOST = 12, 7
TAILS = 3.0
SMALLEST, LARGEST = 0.9, 3.0


def one_series(random):
    """Values, and the places at which a new level begins."""
    shifts = []
    for place in sorted(random.choice(np.arange(SHORTEST, LENGTH - SHORTEST), random.integers(0, MOST + 1), replace=False)):
        if not shifts or place - shifts[-1] >= SHORTEST:
            shifts.append(int(place))
    level, levels = random.normal(0.0, 2.0), np.zeros(LENGTH)
    for start, end in zip([0, *shifts], [*shifts, LENGTH]):
        levels[start:end] = level
        level += random.choice([-1.0, 1.0]) * random.uniform(SMALLEST, LARGEST)
    carry, noise = random.uniform(0.0, 0.6), np.zeros(LENGTH)
    fresh = random.standard_t(TAILS, LENGTH) / np.sqrt(TAILS / (TAILS - 2))
    noise[0] = fresh[0]
    for place in range(1, LENGTH):
        noise[place] = carry * noise[place - 1] + np.sqrt(1 - carry**2) * fresh[place]
    return random.uniform(0.3, 3.0) * (levels + noise), shifts


def main():
    random = np.random.default_rng(int(os.environ.get("ASSAY_SEED", "7")))
    drawn = [one_series(random) for _ in range(SERIES)]
    for folder in ("workspace", "truth"):
        Path(folder).mkdir(exist_ok=True)
    problem = {"series": [values.round(4).tolist() for values, _ in drawn]}
    Path("workspace/problem.json").write_text(json.dumps(problem))
    Path("truth/truth.json").write_text(json.dumps({"shifts": [shifts for _, shifts in drawn]}))


if __name__ == "__main__":
    main()
