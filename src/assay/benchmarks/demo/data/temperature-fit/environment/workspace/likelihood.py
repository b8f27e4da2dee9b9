"""The loss by which probabilities are judged, and the temperatures that may be tried."""

from __future__ import annotations

import numpy as np

TEMPERATURES = np.geomspace(0.1, 10.0, 201)
"""The candidates, from sharpening to softening; 1 changes nothing."""


def negative_log_likelihood(log_odds: np.ndarray, labels: np.ndarray) -> float:
    """Mean of -log of the probability that was given to the right class; exact also for extreme odds."""
    return float(np.mean(np.logaddexp(0.0, np.where(labels == 1, -log_odds, log_odds))))
