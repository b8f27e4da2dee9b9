"""Tables of measurements with a class for each row."""

from __future__ import annotations

from pathlib import Path

import numpy as np


def read_table(path: str | Path) -> tuple[np.ndarray, np.ndarray]:
    """Features (rows x columns) and classes of a CSV file whose last column, `target`, is the class."""
    table = np.loadtxt(path, delimiter=",", skiprows=1)
    return table[:, :-1], table[:, -1].astype(int)
