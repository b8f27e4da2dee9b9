"""Draws mixtures of signals of several kinds: `ASSAY_SEED=7 python draw.py`.

Writes workspace/problem.json (for solve.py) and truth/truth.json (for the score). The truth also has the score of
each mixture by the best known program, which is in known/.
"""

import os

os.environ["OPENBLAS_NUM_THREADS"] = "1"

import json
import sys
from pathlib import Path

import numpy as np

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parent / "known")]
from measure import cleanness  # noqa: E402
from solve import separate  # noqa: E402

MIXTURES, SIGNALS, LENGTH, BEFORE = 24, 6, 500, 100


def filtered(fresh, first, second):
    """Noise with two terms of memory."""
    values = np.zeros(len(fresh))
    for place in range(2, len(fresh)):
        values[place] = first * values[place - 1] + second * values[place - 2] + fresh[place]
    return values


def signal(kind, random):
    """One signal of a kind: heavy tails, flat, slow, swinging, or in bursts."""
    size = LENGTH + BEFORE
    if kind == 0:
        values = random.standard_t(4.0, size)
    elif kind == 1:
        values = random.uniform(-1.0, 1.0, size)
    elif kind == 2:
        values = filtered(random.normal(0.0, 1.0, size), random.uniform(0.4, 0.9), 0.0)
    elif kind == 3:
        radius, pace = random.uniform(0.7, 0.92), random.uniform(0.6, 2.6)
        values = filtered(random.normal(0.0, 1.0, size), 2 * radius * np.cos(pace), -(radius**2))
    else:
        level = filtered(random.normal(0.0, 0.25, size), 0.97, 0.0)
        values = np.exp(1.2 * level) * random.normal(0.0, 1.0, size)
    values = values[BEFORE:]
    return (values - values.mean()) / values.std()


def main():
    random = np.random.default_rng(int(os.environ.get("ASSAY_SEED", "7")))
    signals, mixed = [], []
    for _ in range(MIXTURES):
        kinds = random.permutation([0, 1, 2, 3, 4, *random.integers(0, 5, 1)])
        signals.append([signal(int(kind), random) for kind in kinds])
        mixed.append(random.normal(0.0, 1.0, (SIGNALS, SIGNALS)) @ np.array(signals[-1]))
    for folder in ("workspace", "truth"):
        Path(folder).mkdir(exist_ok=True)
    problem = {"mixed": np.array(mixed).round(3).tolist()}
    Path("workspace/problem.json").write_text(json.dumps(problem, separators=(",", ":")))
    true = np.array(signals).round(2)
    known = [cleanness(np.array(one), other) for one, other in zip(separate(problem["mixed"]), true, strict=True)]
    truth = {"signals": true.tolist(), "known": known}
    Path("truth/truth.json").write_text(json.dumps(truth, separators=(",", ":")))


if __name__ == "__main__":
    main()
