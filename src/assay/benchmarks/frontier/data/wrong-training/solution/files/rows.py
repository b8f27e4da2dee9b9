"""Rows of a configuration, and their three parts."""

from __future__ import annotations

from typing import Any

import numpy as np

Part = tuple[np.ndarray, np.ndarray]


def make_parts(config: dict[str, Any]) -> dict[str, Part]:
    """Features and labels of the parts `train`, `valid` and `test`, standardised."""
    source = np.random.default_rng([config["seed"], 0])
    count, width = config["rows"], config["features"]
    scale = np.exp(source.normal(size=width))
    features = source.standard_t(df=3, size=(count, width)) * scale + source.normal(size=width)
    direction = source.normal(size=width) / scale
    signal = np.tanh(features @ direction) + 0.5 * np.sin(features[:, 0] / scale[0])
    labels = (signal + config["noise"] * source.normal(size=count) > 0).astype(float)
    return standardise(split(features, labels, config))


def split(features: np.ndarray, labels: np.ndarray, config: dict[str, Any]) -> dict[str, Part]:
    """The first rows train, the next `valid` rows validate, the last `test` rows test."""
    train = config["rows"] - config["valid"] - config["test"]
    middle = train + config["valid"]
    return {
        "train": (features[:train], labels[:train]),
        "valid": (features[train:middle], labels[train:middle]),
        "test": (features[middle:], labels[middle:]),
    }


def standardise(parts: dict[str, Part]) -> dict[str, Part]:
    """Every part minus the means and over the standard deviations of the training rows."""
    train = parts["train"][0]
    mean, spread = train.mean(axis=0), train.std(axis=0)
    return {name: ((features - mean) / spread, labels) for name, (features, labels) in parts.items()}
