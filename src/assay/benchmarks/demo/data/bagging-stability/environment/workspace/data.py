"""Tables of measurements with a number to predict for each row."""

from __future__ import annotations

from pathlib import Path

import numpy as np


def read_table(path: str | Path) -> tuple[np.ndarray, np.ndarray]:
    """Features (rows x columns) and targets of a CSV file whose last column, `target`, is to be predicted."""
    table = np.loadtxt(path, delimiter=",", skiprows=1)
    return table[:, :-1], table[:, -1]
