"""How much a single feature tells about the labels."""

from __future__ import annotations

import numpy as np


def anova_f(features: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """The F statistic of each column: variance between the classes over variance within them."""
    classes = np.unique(labels)
    middle = features.mean(axis=0)
    between = np.zeros(features.shape[1])
    within = np.zeros(features.shape[1])
    for each in classes:
        members = features[labels == each]
        between += len(members) * (members.mean(axis=0) - middle) ** 2
        within += ((members - members.mean(axis=0)) ** 2).sum(axis=0)
    return (between / (len(classes) - 1)) / (within / (len(labels) - len(classes)))
