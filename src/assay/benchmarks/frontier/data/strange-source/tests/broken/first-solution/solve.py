"""The plain first solution: the odds after the last two symbols. Run: `python solve.py`."""

import json
from pathlib import Path

import numpy as np


def main():
    windows = json.loads(Path("problem.json").read_text())["windows"]
    counts = np.full((4, 4, 4), 0.5)
    for window in windows:
        row = np.array(list(map(int, window)))
        np.add.at(counts, (row[:-2], row[1:-1], row[2:]), 1)
    odds = counts / counts.sum(axis=-1, keepdims=True)
    rows = np.array([odds[int(window[-2]), int(window[-1])] for window in windows])
    Path("answers.json").write_text(json.dumps({"odds": rows.round(6).tolist()}))


if __name__ == "__main__":
    main()
