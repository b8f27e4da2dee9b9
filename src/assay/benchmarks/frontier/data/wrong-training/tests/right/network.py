"""A network with one hidden layer of tanh units and one logistic output."""

from __future__ import annotations

import numpy as np

Parameters = dict[str, np.ndarray]


def start(width: int, hidden: int, seed: int) -> Parameters:
    """Normal weights with variance 1 / inputs, biases of 0."""
    source = np.random.default_rng([seed, 1])
    return {
        "inner_weights": source.normal(size=(width, hidden)) / np.sqrt(width),
        "inner_bias": np.zeros(hidden),
        "outer_weights": source.normal(size=hidden) / np.sqrt(hidden),
        "outer_bias": np.zeros(1),
    }


def logits(parameters: Parameters, features: np.ndarray) -> np.ndarray:
    """The log-odds of label 1."""
    units = np.tanh(features @ parameters["inner_weights"] + parameters["inner_bias"])
    return units @ parameters["outer_weights"] + parameters["outer_bias"][0]


def loss(parameters: Parameters, features: np.ndarray, labels: np.ndarray) -> float:
    """The mean negative log-likelihood."""
    odds = logits(parameters, features)
    return float(np.mean(np.logaddexp(0.0, odds) - labels * odds))


def gradient(parameters: Parameters, features: np.ndarray, labels: np.ndarray) -> Parameters:
    """The gradient of the loss."""
    units = np.tanh(features @ parameters["inner_weights"] + parameters["inner_bias"])
    odds = units @ parameters["outer_weights"] + parameters["outer_bias"][0]
    slope = (1 / (1 + np.exp(-odds)) - labels) / len(labels)
    inner = np.outer(slope, parameters["outer_weights"]) * (1 - units**2)
    return {
        "inner_weights": features.T @ inner,
        "inner_bias": inner.sum(axis=0),
        "outer_weights": units.T @ slope,
        "outer_bias": np.array([slope.sum()]),
    }
