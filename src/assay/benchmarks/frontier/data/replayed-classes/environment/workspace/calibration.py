"""Temperatures and calibration errors."""

from __future__ import annotations

import numpy as np
from head import Head
from rows import Part
from scaling import Projection


def pooled(parts: list[Part]) -> Part:
    """The rows of several parts, one after the other."""
    return Part(np.vstack([part.values for part in parts]), np.concatenate([part.labels for part in parts]))


def best_temperature(
    head: Head, projection: Projection, parts: list[Part], candidates: tuple[float, ...]
) -> float:
    """The candidate with the lowest loss on the rows of all parts together."""
    rows = pooled(parts)
    features = projection.features(rows.values)
    losses = [head.loss(features, rows.labels, temperature) for temperature in candidates]
    return candidates[int(np.argmin(losses))]


def calibration_error(chances: np.ndarray, labels: np.ndarray, bins: int) -> float:
    """The mean distance of confidence and accuracy over bins of equal width."""
    confidence = chances.max(axis=1)
    right = chances.argmax(axis=1) == labels
    place = np.minimum(np.ceil(confidence * bins).astype(int), bins)
    error = 0.0
    for number in range(1, bins + 1):
        mine = place == number
        if mine.any():
            error += mine.sum() * abs(float(confidence[mine].mean()) - float(right[mine].mean()))
    return float(error / len(labels))


def worst_class_error(chances: np.ndarray, labels: np.ndarray, known: np.ndarray) -> float:
    """The largest distance, over known classes, of mean probability and frequency."""
    frequency = np.bincount(labels, minlength=len(known)) / len(labels)
    distance = np.abs(chances.mean(axis=0) - frequency)
    return float(distance[known].max())
