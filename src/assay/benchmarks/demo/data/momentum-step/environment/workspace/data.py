"""Images of digits."""

from __future__ import annotations

from pathlib import Path

import numpy as np


def read_digits(path: str | Path) -> tuple[np.ndarray, np.ndarray]:
    """Images (one a row, pixels from 0 to 1) and the digits they show."""
    with np.load(path) as file:
        return file["images"].astype(float) / 16.0, file["labels"].astype(int)
