"""Folds for cross-validation."""

from __future__ import annotations

import numpy as np

from streams import stream


def assign_folds(rows: int, count: int, seed: int, repeat: int) -> np.ndarray:
    """The fold (0 to count - 1) in which each row is held out."""
    return stream(seed, repeat, "folds").permutation(rows) % count
