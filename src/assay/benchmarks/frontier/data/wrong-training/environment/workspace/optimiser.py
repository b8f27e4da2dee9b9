"""Adam with clipped gradients and decoupled weight decay."""

from __future__ import annotations

import math

import numpy as np

from network import Parameters


def clip(gradients: Parameters, limit: float) -> Parameters:
    """All gradients times one factor, so that the length of all of them together is at most `limit`."""
    clipped = {}
    for name, gradient in gradients.items():
        length = math.sqrt(float((gradient**2).sum()))
        clipped[name] = gradient * min(1.0, limit / (length + 1e-12))
    return clipped


class Adam:
    """The usual Adam: decay rates 0.9 and 0.99, moments corrected by the number of steps, 1e-8 beside the root.

    Before the step of Adam, weights (not biases) shrink by the factor 1 - rate x decay.
    """

    def __init__(self, parameters: Parameters, decay: float) -> None:
        self.first = {name: np.zeros_like(value) for name, value in parameters.items()}
        self.second = {name: np.zeros_like(value) for name, value in parameters.items()}
        self.steps = 0
        self.decay = decay

    def step(self, parameters: Parameters, gradients: Parameters, rate: float) -> None:
        """Change the parameters in place."""
        for name, value in parameters.items():
            self.steps += 1
            gradient = gradients[name]
            self.first[name] = 0.9 * self.first[name] + 0.1 * gradient
            self.second[name] = 0.99 * self.second[name] + 0.01 * gradient**2
            mean = self.first[name] / (1 - 0.9**self.steps)
            square = self.second[name] / (1 - 0.99**self.steps)
            if not name.startswith("inner_bias"):
                value *= 1 - rate * self.decay
            value -= rate * mean / (np.sqrt(square) + 1e-8)
