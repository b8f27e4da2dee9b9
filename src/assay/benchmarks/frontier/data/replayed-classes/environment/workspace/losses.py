"""Gradients of the parts of the loss with respect to the scores."""

from __future__ import annotations

import numpy as np
from head import softmax


def class_weights(labels: np.ndarray, classes: int) -> np.ndarray:
    """Weights that give the classes of these rows equal influence."""
    counts = np.bincount(labels, minlength=classes)
    present = counts > 0
    return np.where(present, len(labels) / (present.sum() * np.maximum(counts, 1)), 0.0)


def targets(labels: np.ndarray, known: np.ndarray, smoothing: float) -> np.ndarray:
    """Smoothed targets over known classes."""
    wanted = np.eye(len(known))[labels]
    return (1.0 - smoothing) * wanted + smoothing * known / known.sum()


def fresh_gradient(
    logits: np.ndarray, labels: np.ndarray, known: np.ndarray, weights: np.ndarray, smoothing: float
) -> np.ndarray:
    """Of the weighted loss of new rows."""
    difference = softmax(logits, known) - targets(labels, known, smoothing)
    return difference * weights[labels][:, None] / len(labels)


def replay_gradient(logits: np.ndarray, labels: np.ndarray, known: np.ndarray) -> np.ndarray:
    """Of the loss of kept rows."""
    return (softmax(logits, known) - targets(labels, known, 0.0)) / len(labels)


def distil_gradient(
    logits: np.ndarray, stored: np.ndarray, stored_known: np.ndarray, temperature: float
) -> np.ndarray:
    """Of the distance between stored and present probabilities of kept rows."""
    teacher = softmax(stored / temperature, stored_known)
    student = softmax(logits / temperature, stored_known)
    return temperature * (student - teacher) / len(logits)
