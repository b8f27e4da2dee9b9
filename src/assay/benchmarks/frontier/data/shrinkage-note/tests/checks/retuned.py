"""One repeat of the comparison again: the error of every setting, and the settings that cross-validation chooses."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

STEPS = np.linspace(-3, 3, 13)
COMPONENTS = range(1, 13)
DIVISIONS = 3
"""Divisions into folds whose errors are added up, so that the choice depends less on one of them."""
FOLDS = 5
NOISE = 1.09
AVERAGED = (0.0, -np.log10(2), np.log10(2))
"""Who fits the means of two readings has the same fits with half or twice the penalty."""


@dataclass(frozen=True)
class Repeat:
    """Errors on new samples by method and setting (a penalty by its logarithm), and the settings that are best."""

    least_squares: float
    errors: dict[str, dict[float, float]]
    best: dict[str, float]
    validated: float


def draw(seed: int, repeat: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Samples twice, one below the other, their readings and the true coefficients: worlds.draw, rows not shuffled."""
    source = np.random.default_rng([seed, repeat])
    coefficients = source.normal(size=12) / np.sqrt(12)
    samples = source.normal(size=(18, 12))
    response = samples @ coefficients + source.normal(size=18)
    readings = np.hstack([response, response]) + 0.3 * source.normal(size=36)
    return np.vstack([samples, samples]), readings, coefficients


def fit_all(features: np.ndarray, readings: np.ndarray, steps: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The coefficients of ridge for each penalty, and those of pcr for each number of components."""
    left, values, right = np.linalg.svd(features, full_matrices=False)
    seen = left.T @ readings
    ridge = (values * seen / (values**2 + 10.0 ** steps[:, None])) @ right
    kept = np.tril(np.ones((12, 12))) * (seen / values)
    return ridge, kept @ right


def validate(features: np.ndarray, readings: np.ndarray, seed: int, repeat: int) -> tuple[np.ndarray, np.ndarray]:
    """The cross-validated errors of all settings; both readings of a sample are in one fold."""
    ridge, pcr = np.zeros(len(STEPS)), np.zeros(12)
    for division in range(DIVISIONS):
        folds = np.tile(np.random.default_rng([seed, repeat, 2, division]).permutation(18) % FOLDS, 2)
        for fold in range(FOLDS):
            held = folds == fold
            for total, fitted in zip((ridge, pcr), fit_all(features[~held], readings[~held], STEPS), strict=True):
                total += ((features[held] @ fitted.T - readings[held][:, None]) ** 2).sum(axis=0)
    return ridge / (DIVISIONS * 36), pcr / (DIVISIONS * 36)


def tune(seed: int, repeat: int) -> Repeat:
    """All of one repeat."""
    features, readings, coefficients = draw(seed, repeat)
    steps = np.concatenate([STEPS + shift for shift in AVERAGED])
    ridge, pcr = (((fits - coefficients) ** 2).sum(axis=1) + NOISE for fits in fit_all(features, readings, steps))
    by_penalty, by_count = validate(features, readings, seed, repeat)
    return Repeat(
        least_squares=float(pcr[-1]),
        errors={
            "ridge": dict(zip(steps.tolist(), ridge.tolist(), strict=True)),
            "pcr": dict(zip(map(float, COMPONENTS), pcr.tolist(), strict=True)),
        },
        best={"ridge": float(STEPS[by_penalty.argmin()]), "pcr": float(COMPONENTS[int(by_count.argmin())])},
        validated=float(by_penalty.min()),
    )
