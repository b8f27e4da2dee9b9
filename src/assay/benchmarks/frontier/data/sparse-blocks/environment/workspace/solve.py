"""The plain first solution: matching pursuit with a fixed number of places. Run: `python solve.py`."""

import json
from pathlib import Path

import numpy as np

PLACES = 14


def recover(matrix, measured):
    """Take the place that explains most of what is left, again and again."""
    chosen, left = [], measured
    for _ in range(PLACES):
        chosen.append(int(np.argmax(np.abs(matrix.T @ left))))
        values = np.linalg.lstsq(matrix[:, chosen], measured, rcond=None)[0]
        left = measured - matrix[:, chosen] @ values
    signal = np.zeros(matrix.shape[1])
    signal[chosen] = values
    return signal


def main():
    problem = json.loads(Path("problem.json").read_text())
    matrix = np.array(problem["matrix"])
    signals = [recover(matrix, np.array(row)).round(5).tolist() for row in problem["measured"]]
    Path("answers.json").write_text(json.dumps({"signals": signals}))


if __name__ == "__main__":
    main()
