"""A linear head over the classes that are known."""

from __future__ import annotations

import numpy as np


def softmax(logits: np.ndarray, known: np.ndarray) -> np.ndarray:
    """Probabilities over known classes; others have probability zero."""
    shown = np.where(known, logits, -np.inf)
    powers = np.exp(shown - shown.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)


def log_softmax(logits: np.ndarray, known: np.ndarray) -> np.ndarray:
    """Logarithms of the probabilities; zero for classes that are not known."""
    shown = np.where(known, logits, -np.inf)
    peak = shown.max(axis=1, keepdims=True)
    total = np.log(np.exp(shown - peak).sum(axis=1, keepdims=True))
    return np.where(known, logits - peak - total, 0.0)


class Head:
    """Weights, their velocity, and the classes that are known so far."""

    def __init__(self, inputs: int, classes: int) -> None:
        self.weights = np.zeros((inputs, classes))
        self.velocity = np.zeros_like(self.weights)
        self.known = np.zeros(classes, dtype=bool)

    def begin_stage(self, labels: np.ndarray) -> None:
        """Learn which classes a stage brings."""
        present = np.unique(labels)
        self.known[present] = True
        self.velocity[:, present] = 0.0

    def logits(self, features: np.ndarray) -> np.ndarray:
        """Scores of all classes."""
        return features @ self.weights

    def move(self, gradient: np.ndarray, rate: float, momentum: float) -> None:
        """One step of gradient descent."""
        self.velocity *= momentum
        self.velocity += gradient
        self.weights -= rate * self.velocity

    def state(self) -> np.ndarray:
        """The weights as they are now."""
        return self.weights

    def restore(self, weights: np.ndarray) -> None:
        """Go back to earlier weights."""
        self.weights = weights.copy()

    def chances(self, features: np.ndarray, temperature: float = 1.0) -> np.ndarray:
        """Probabilities of the known classes."""
        return softmax(self.logits(features) / temperature, self.known)

    def loss(self, features: np.ndarray, labels: np.ndarray, temperature: float = 1.0) -> float:
        """The mean log loss."""
        logs = log_softmax(self.logits(features) / temperature, self.known)
        return float(-logs[np.arange(len(labels)), labels].mean())
