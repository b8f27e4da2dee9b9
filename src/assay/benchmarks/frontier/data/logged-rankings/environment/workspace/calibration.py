"""How well predicted clicks agree with real ones."""

from __future__ import annotations

import numpy as np
from appeal import Appeal
from sessions import Session

BINS = 5
EDGE = 0.01


def predictions(
    appeal: Appeal, attention: np.ndarray, sessions: list[Session]
) -> tuple[np.ndarray, np.ndarray]:
    """Predicted probability and real click of each shown item."""
    predicted = [appeal.of(session, session.slate) * attention[: len(session.slate)] for session in sessions]
    return np.concatenate(predicted), np.concatenate([session.clicks for session in sessions])


def calibration_error(predicted: np.ndarray, clicks: np.ndarray) -> float:
    """The mean distance of predictions and clicks over bins of equal size."""
    order = np.argsort(np.round(predicted, 8), kind="stable")
    distance = 0.0
    for part in np.array_split(order, BINS):
        distance += len(part) * abs(float(predicted[part].mean() - clicks[part].mean()))
    return distance / len(order)


def bits(predicted: np.ndarray, clicks: np.ndarray) -> float:
    """The mean logarithmic loss of a prediction, in bits."""
    bounded = np.clip(predicted, EDGE, 1.0 - EDGE)
    return float(-np.mean(np.where(clicks > 0, np.log2(bounded), np.log2(1.0 - bounded))))


def calibration_numbers(appeal: Appeal, attention: np.ndarray, sessions: list[Session]) -> dict[str, float]:
    """All numbers about predicted clicks."""
    predicted, clicks = predictions(appeal, attention, sessions)
    return {
        "error": calibration_error(predicted, clicks),
        "bits": bits(predicted, clicks),
        "brier": float(np.mean((predicted - clicks) ** 2)),
    }
