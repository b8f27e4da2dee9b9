"""How far stated confidence can be believed, and its repair by one exponent."""

import numpy as np

from metrics import log_loss
from spreading import sharpen


def calibration_error(probabilities, labels):
    """The gap between confidence and accuracy: the paper's equation (5).

    probabilities: of shape (samples, classes), each row summing to one.
    labels: the true classes, of shape (samples,).
    Returns a float between 0 and 1.
    """
    confidence = probabilities.max(axis=1)
    right = (probabilities.argmax(axis=1) == labels).astype(float)
    order = np.argsort(confidence, kind="stable")
    groups = np.array_split(order, 8)
    gaps = [abs(right[group].mean() - confidence[group].mean()) for group in groups]
    sizes = [len(group) for group in groups]
    return float(np.sqrt(np.average(np.square(gaps), weights=sizes)))


def fit_exponent(probabilities, labels, low=0.1, high=100.0, rounds=60):
    """The exponent with the lowest log loss, by golden-section search over its logarithm."""
    ratio = (np.sqrt(5.0) - 1.0) / 2.0
    left, right = np.log(low), np.log(high)
    for _ in range(rounds):
        inner_left = right - ratio * (right - left)
        inner_right = left + ratio * (right - left)
        at_left = log_loss(sharpen(probabilities, np.exp(inner_left)), labels)
        at_right = log_loss(sharpen(probabilities, np.exp(inner_right)), labels)
        if at_left < at_right:
            right = inner_right
        else:
            left = inner_left
    return float(np.exp((left + right) / 2.0))
