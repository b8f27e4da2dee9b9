"""Draws systems of series that act on each other with delays: `ASSAY_SEED=7 python draw.py`.

Writes workspace/problem.json (for solve.py) and truth/truth.json (for the score).
"""

import os

os.environ["OPENBLAS_NUM_THREADS"] = "1"

import json
from pathlib import Path

import numpy as np

SYSTEMS, SERIES, LENGTH, BEFORE = 24, 8, 200, 40
LATEST, BOUND = 5, 3.0
KINDS = [lambda v: v, lambda v: 1.3 * np.sin(2.6 * v), lambda v: 2.0 * (v > 0.5) - 0.6]


def draw_law(random):
    """For each series: what acts on it, as (kind, weight, series, delay, second series, second delay)."""
    law = []
    for series in range(SERIES):
        others = random.permutation([other for other in range(SERIES) if other != series])
        delays, weights = random.integers(1, LATEST + 1, 2), random.uniform(0.45, 0.75, 2) * random.choice([-1, 1], 2)
        if random.random() < 0.4:
            law.append([(3, weights[0], others[0], delays[0], others[1], delays[1])])
        else:
            kinds = random.integers(0, 3, 2)
            law.append([(kinds[n], weights[n], others[n], delays[n], others[n], delays[n]) for n in (0, 1)])
    return law


def run(law, random):
    """The series, bounded softly."""
    values = random.normal(0.0, 1.0, (LENGTH + BEFORE, SERIES))
    for time in range(LATEST, LENGTH + BEFORE):
        for series, terms in enumerate(law):
            total = 0.3 * values[time - 1, series] + random.normal(0.0, 0.7)
            for kind, weight, one, delay, two, later in terms:
                first = values[time - delay, one]
                total += weight * (first * np.sign(values[time - later, two]) if kind == 3 else KINDS[kind](first))
            values[time, series] = BOUND * np.tanh(total / BOUND)
    return values[BEFORE:]


def main():
    random = np.random.default_rng(int(os.environ.get("ASSAY_SEED", "7")))
    systems, edges = [], []
    for _ in range(SYSTEMS):
        law = draw_law(random)
        systems.append(run(law, random).round(2).tolist())
        pairs = {(int(term[place]), series) for series, terms in enumerate(law) for term in terms for place in (2, 4)}
        edges.append(sorted(map(list, pairs)))
    for folder in ("workspace", "truth"):
        Path(folder).mkdir(exist_ok=True)
    Path("workspace/problem.json").write_text(json.dumps({"systems": systems}, separators=(",", ":")))
    Path("truth/truth.json").write_text(json.dumps({"edges": edges}, separators=(",", ":")))


if __name__ == "__main__":
    main()
