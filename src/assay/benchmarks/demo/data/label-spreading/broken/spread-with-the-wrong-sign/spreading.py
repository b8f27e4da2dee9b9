"""Labels carried along the graph, and probabilities made of what arrives."""

import numpy as np


def spread(weights, marks):
    """Carry the shown labels along the graph: the paper's equations (3) and (4).

    weights: the affinities, of shape (samples, samples).
    marks: a row for each sample: the indicator of its class if its label is shown, zeros if not.
    Returns scores of the shape of `marks`.
    """
    degrees = weights.sum(axis=1)
    walk = weights / np.sqrt(np.outer(degrees, degrees))
    scores = marks
    for _ in range(10):
        scores = 0.92 * (walk @ scores) + 0.08 * marks
    return -scores


def to_probabilities(scores):
    """Each row divided by its sum."""
    return scores / scores.sum(axis=1, keepdims=True)


def sharpen(probabilities, exponent):
    """Each probability to a power, and the rows made to sum to one again."""
    return to_probabilities(probabilities**exponent)
