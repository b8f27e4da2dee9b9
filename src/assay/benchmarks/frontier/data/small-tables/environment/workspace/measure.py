"""The score: how much nearer to the true chances the answers are than those of the comparison."""

import numpy as np

SMALLEST = 0.002


def loss(chances, true):
    """The expected log loss in bits, on the mean over the rows."""
    chances = np.clip(chances, SMALLEST, 1 - SMALLEST)
    return float(-(true * np.log2(chances) + (1 - true) * np.log2(1 - chances)).mean())


def scores(answers, truth):
    """One for each table: the loss of the comparison minus yours, in hundredths of a bit for each row."""
    tables, found = answers["chances"], []
    if not isinstance(tables, list) or len(tables) != len(truth["tables"]):
        raise ValueError(f"expected chances for {len(truth['tables'])} tables")
    for chances, table in zip(tables, truth["tables"], strict=True):
        true, compared = np.array(table["chances"]), np.array(table["comparison"])
        if not isinstance(chances, list) or len(chances) != len(true):
            raise ValueError(f"expected {len(true)} chances for each table")
        if not all(type(value) in (int, float) and 0 <= value <= 1 for value in chances):
            raise ValueError("expected numbers from 0 to 1")
        found.append(100 * (loss(compared, true) - loss(np.array(chances, dtype=float), true)))
    return found
