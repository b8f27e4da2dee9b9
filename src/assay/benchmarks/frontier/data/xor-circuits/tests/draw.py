"""Draws matrices of zeros and ones: `ASSAY_SEED=7 python draw.py`.

Writes workspace/problem.json (for solve.py) and truth/truth.json (for the score).
"""

import json
import os
import random
from pathlib import Path

MATRICES, SIZE = 24, 16
SHARE = 0.5


def matrix(source):
    """Distinct rows with at least two ones each."""
    rows = []
    while len(rows) < SIZE:
        row = [int(source.random() < SHARE) for _ in range(SIZE)]
        if sum(row) >= 2 and row not in rows:
            rows.append(row)
    return rows


def main():
    source = random.Random(int(os.environ.get("ASSAY_SEED", "7")))
    matrices = [matrix(source) for _ in range(MATRICES)]
    for folder in ("workspace", "truth"):
        Path(folder).mkdir(exist_ok=True)
        name = "problem.json" if folder == "workspace" else "truth.json"
        (Path(folder) / name).write_text(json.dumps({"matrices": matrices}))


if __name__ == "__main__":
    main()
