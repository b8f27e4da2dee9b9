"""The plain first solution: for each source, the odds after the last symbol. Run: `python solve.py`."""

import json
from pathlib import Path

import numpy as np


def odds_of(texts):
    """The odds of the next symbol of each text of one source."""
    counts = np.full((4, 4), 1.0)
    for text in texts:
        row = np.array(list(map(int, text)))
        np.add.at(counts, (row[:-1], row[1:]), 1)
    odds = counts / counts.sum(axis=1, keepdims=True)
    return odds[[int(text[-1]) for text in texts]].round(6).tolist()


def main():
    sources = json.loads(Path("problem.json").read_text())["sources"]
    Path("answers.json").write_text(json.dumps({"odds": [odds_of(texts) for texts in sources]}))


if __name__ == "__main__":
    main()
