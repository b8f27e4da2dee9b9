"""Training rows of the note, and the error of a fit on new samples."""

from __future__ import annotations

import numpy as np

SAMPLES = 18
FEATURES = 12
SAMPLE_NOISE = 1.0
READING_NOISE = 0.3


def draw(seed: int, repeat: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Features (36 x 12), responses (36) and true coefficients (12) of one repeat; rows are in random order.

    Every sample is read twice, by two readers.
    """
    source = np.random.default_rng([seed, repeat])
    coefficients = source.normal(size=FEATURES) / np.sqrt(FEATURES)
    samples = source.normal(size=(SAMPLES, FEATURES))
    response = samples @ coefficients + SAMPLE_NOISE * source.normal(size=SAMPLES)
    features = np.vstack([samples, samples])
    readings = np.hstack([response, response]) + READING_NOISE * source.normal(size=2 * SAMPLES)
    order = source.permutation(2 * SAMPLES)
    return features[order], readings[order], coefficients


def error(fitted: np.ndarray, coefficients: np.ndarray) -> float:
    """The expected squared error of one reading of a new sample, exactly."""
    return float(((fitted - coefficients) ** 2).sum() + SAMPLE_NOISE**2 + READING_NOISE**2)
