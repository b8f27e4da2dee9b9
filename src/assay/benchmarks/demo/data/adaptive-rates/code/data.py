"""The handwritten digits that come with scikit-learn, split, standardised and cut into batches."""

import importlib.util
import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np

TRAIN_SHARE = 0.7


@dataclass
class Split:
    """Standardised features and integer labels of both halves."""

    train_x: np.ndarray
    train_y: np.ndarray
    test_x: np.ndarray
    test_y: np.ndarray
    classes: int


def load_table():
    """Features and labels: of the .npz file (X, y) that ASSAY_DATA names, else of the digits."""
    replacement = os.environ.get("ASSAY_DATA")
    if replacement:
        with np.load(replacement, allow_pickle=False) as archive:
            return archive["X"].astype(float), archive["y"].astype(int)
    # Importing scikit-learn takes seconds; its table of digits can be read without that.
    package = Path(importlib.util.find_spec("sklearn").origin).parent
    table = np.loadtxt(package / "datasets" / "data" / "digits.csv.gz", delimiter=",")
    return table[:, :-1], table[:, -1].astype(int)


def load_split(seed):
    """A random split; features are centred and scaled by what the training half shows."""
    features, labels = load_table()
    order = np.random.default_rng([seed, 0]).permutation(len(labels))
    cut = int(TRAIN_SHARE * len(labels))
    train, test = order[:cut], order[cut:]
    centre = features[train].mean(axis=0)
    width = features[train].std(axis=0)
    scaled = (features - centre) / np.where(width > 0, width, 1.0)
    return Split(scaled[train], labels[train], scaled[test], labels[test], int(labels.max()) + 1)


def batches(split, size, steps, seed):
    """`steps` random batches, each drawn without replacement."""
    generator = np.random.default_rng([seed, 1])
    for _ in range(steps):
        chosen = generator.choice(len(split.train_y), size=size, replace=False)
        yield split.train_x[chosen], split.train_y[chosen]
