"""Softmax regression: one weight for each pixel and digit, one bias for each digit."""

from __future__ import annotations

import numpy as np

CLASSES = 10


def log_probabilities(weights: np.ndarray, bias: np.ndarray, images: np.ndarray) -> np.ndarray:
    """Logarithm of the probability of each digit, for each image."""
    scores = images @ weights + bias
    scores = scores - scores.max(axis=1, keepdims=True)
    return scores - np.log(np.exp(scores).sum(axis=1, keepdims=True))


def loss(weights: np.ndarray, bias: np.ndarray, images: np.ndarray, labels: np.ndarray) -> float:
    """Mean cross-entropy."""
    return float(-log_probabilities(weights, bias, images)[np.arange(len(labels)), labels].mean())


def gradient(
    weights: np.ndarray, bias: np.ndarray, images: np.ndarray, labels: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Gradient of the mean cross-entropy, for the weights and for the bias."""
    excess = np.exp(log_probabilities(weights, bias, images))
    excess[np.arange(len(labels)), labels] -= 1.0
    return images.T @ excess / len(labels), excess.mean(axis=0)


def accuracy(weights: np.ndarray, bias: np.ndarray, images: np.ndarray, labels: np.ndarray) -> float:
    """Share of images whose most probable digit is right."""
    return float(np.mean(log_probabilities(weights, bias, images).argmax(axis=1) == labels))
