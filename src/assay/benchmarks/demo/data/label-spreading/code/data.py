"""The breast-cancer table that comes with scikit-learn, standardised, and which labels are shown."""

import importlib.util
import os
from pathlib import Path

import numpy as np


def load_table():
    """Features and labels: of the .npz file (X, y) that ASSAY_DATA names, else of the bundled table."""
    replacement = os.environ.get("ASSAY_DATA")
    if replacement:
        with np.load(replacement, allow_pickle=False) as archive:
            features, labels = archive["X"].astype(float), archive["y"].astype(int)
    else:
        # Importing scikit-learn takes seconds; its table can be read without that.
        package = Path(importlib.util.find_spec("sklearn").origin).parent
        table = np.loadtxt(package / "datasets" / "data" / "breast_cancer.csv", delimiter=",", skiprows=1)
        features, labels = table[:, :-1], table[:, -1].astype(int)
    width = features.std(axis=0)
    return (features - features.mean(axis=0)) / np.where(width > 0, width, 1.0), labels


def choose_roles(labels, shown_per_class, seed):
    """Indices of the shown samples, and of the two halves of the rest: for tuning and for testing."""
    order = np.random.default_rng(seed).permutation(len(labels))
    by_class = [order[labels[order] == each][:shown_per_class] for each in np.unique(labels)]
    shown = np.concatenate(by_class)
    rest = order[~np.isin(order, shown)]
    return shown, rest[: len(rest) // 2], rest[len(rest) // 2 :]


def one_hot(labels, shown):
    """A row for each sample: the indicator of its class if it is shown, zeros if not."""
    marks = np.zeros((len(labels), int(labels.max()) + 1))
    marks[shown, labels[shown]] = 1.0
    return marks
