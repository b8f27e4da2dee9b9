"""What is measured on a trained network."""

import numpy as np

from model import forward


def mean_loss(parameters, inputs, labels):
    """Mean cross-entropy in nats."""
    _, log_probabilities = forward(parameters, inputs)
    return float(-log_probabilities[np.arange(len(labels)), labels].mean())


def accuracy(parameters, inputs, labels):
    """Share of samples whose most probable class is theirs."""
    _, log_probabilities = forward(parameters, inputs)
    return float((log_probabilities.argmax(axis=1) == labels).mean())
