"""Summaries of the accuracies after each stage."""

from __future__ import annotations

import numpy as np
from head import Head
from rows import Part
from scaling import Projection


def accuracy(head: Head, projection: Projection, part: Part) -> float:
    """The share of rows whose most probable known class is right."""
    chances = head.chances(projection.features(part.values))
    return float(np.mean(chances.argmax(axis=1) == part.labels))


def forgetting(matrix: np.ndarray) -> float:
    """How much lower the last accuracy of a stage is than its best one before; mean over earlier stages."""
    last = len(matrix) - 1
    drops = [matrix[stage:last, stage].max() - matrix[last, stage] for stage in range(last)]
    return float(np.mean(drops))


def transfer(matrix: np.ndarray) -> float:
    """How much the accuracy of a stage changed since it was learned; mean over earlier stages."""
    last = len(matrix) - 1
    return float(np.mean([matrix[last, stage] - matrix[stage, stage] for stage in range(last)]))


def average_path(matrix: np.ndarray) -> float:
    """The mean over time of the mean accuracy of the stages so far."""
    return float(np.mean([matrix[stage, : stage + 1].mean() for stage in range(len(matrix))]))


def balanced_recall(chances: np.ndarray, labels: np.ndarray) -> float:
    """The mean recall over the classes that occur."""
    guesses = chances.argmax(axis=1)
    return float(np.mean([np.mean(guesses[labels == label] == label) for label in np.unique(labels)]))
