"""The score: the share of cells that are right."""

import numpy as np


def scores(answers, truth):
    """One for each window: the share of its cells that are right."""
    later = np.array(truth["later"])
    rows = answers["later"]
    if not isinstance(rows, list) or len(rows) != len(later):
        raise ValueError(f"expected {len(later)} rows")
    for row in rows:
        if not isinstance(row, list) or len(row) != later.shape[1] or not all(type(cell) is int for cell in row):
            raise ValueError(f"expected {later.shape[1]} whole numbers in each row")
        if not all(0 <= cell <= 9 for cell in row):
            raise ValueError("expected states from 0 to 2")
    return (np.array(rows) == later).mean(axis=1).tolist()
