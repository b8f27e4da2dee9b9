"""Training, as README.md describes it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import network
from optimiser import Adam, clip
from rows import make_parts


def rate_at(step: int, steps: int, highest: float) -> float:
    """The rate falls from `highest` at the first step (0) to 0 at the last one along half a cosine."""
    return 0.5 * highest * (1 + math.cos(math.pi * step / max(steps - 1, 1)))


def train(config: dict[str, Any]) -> tuple[dict[str, float], list[dict[str, float]]]:
    """The numbers of the best epoch, and one line for each epoch."""
    parts = make_parts(config)
    features, labels = parts["train"]
    parameters = network.start(config["features"], config["hidden"], config["seed"])
    adam = Adam(parameters, config["decay"])
    order_source = np.random.default_rng([config["seed"], 2])
    batches = math.ceil(len(labels) / config["batch"])
    steps = config["epochs"] * batches
    best, best_loss, best_epoch, step, curve = None, math.inf, 0, 0, []
    for epoch in range(config["epochs"]):
        order = order_source.permutation(len(labels))
        for number in range(batches):
            chosen = order[number * config["batch"] : (number + 1) * config["batch"]]
            gradients = clip(network.gradient(parameters, features[chosen], labels[chosen]), config["clip"])
            adam.step(parameters, gradients, rate_at(step, steps, config["rate"]))
            step += 1
        losses = {name: network.loss(parameters, *part) for name, part in parts.items()}
        curve.append({"epoch": epoch, "train": losses["train"], "valid": losses["valid"]})
        if losses["valid"] < best_loss:
            best_loss, best_epoch = losses["valid"], epoch
            best = {name: value.copy() for name, value in parameters.items()}
    assert best is not None
    tested, wanted = parts["test"]
    accuracy = float(np.mean((network.logits(best, tested) > 0) == (wanted > 0.5)))
    return {
        "best_epoch": best_epoch,
        "best_valid": best_loss,
        "test_loss": network.loss(best, tested, wanted),
        "test_accuracy": accuracy,
        "last_train": curve[-1]["train"],
    }, curve
