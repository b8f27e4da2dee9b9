"""Prunes in small rounds; after each, the biases make up for what the units left out had added on average.

A unit is worth what its varying part does to the cross entropy, on the calibration images. After each round the biases,
and only they, follow the slope of the cross entropy against the whole classifier's answers. Weights stay the base's own.
Run: `python prune.py`.
"""

import os

os.environ["OPENBLAS_NUM_THREADS"] = "1"

import numpy as np

KEPT = (44, 66, 46)
"""Inputs, first and second hidden units that fit into the memory."""
ROUNDS, STEPS, RATE = 24, 25, 0.03
NOISE = 0.1


class Pruned:
    """What is left of the base."""

    def __init__(self, base):
        self.weights = [base[f"weights{layer}"] for layer in (1, 2, 3)]
        self.biases = [base[f"biases{layer}"].copy() for layer in (1, 2, 3)]
        self.kept = [np.arange(len(weight)) for weight in self.weights]

    def forward(self, images):
        """The values before each layer of weights, and the last."""
        values = [images[:, self.kept[0]]]
        for layer in range(3):
            after = values[-1] @ self.weights[layer] + self.biases[layer]
            values.append(np.maximum(after, 0) if layer < 2 else after)
        return values

    def drop(self, images, targets, layer, number):
        """Leave out the units before a layer that do least, until so many are left."""
        before, error = self.forward(images)[layer], self.errors(images, targets)[layer]
        change = (before - before.mean(axis=0)) * (error @ self.weights[layer].T)
        worth = (change * change).mean(axis=0)
        keep = np.sort(np.argsort(-worth, kind="stable")[:number])
        gone = np.setdiff1d(np.arange(len(worth)), keep)
        self.biases[layer] = self.biases[layer] + before.mean(axis=0)[gone] @ self.weights[layer][gone]
        self.weights[layer] = self.weights[layer][keep]
        self.kept[layer] = self.kept[layer][keep]
        if layer > 0:
            self.weights[layer - 1] = self.weights[layer - 1][:, keep]
            self.biases[layer - 1] = self.biases[layer - 1][keep]

    def errors(self, images, targets):
        """Of the cross entropy, for each image and each value after a layer of weights."""
        values = self.forward(images)
        error = np.exp(values[3] - values[3].max(axis=1, keepdims=True))
        error = error / error.sum(axis=1, keepdims=True) - targets
        found = [error]
        for layer in (2, 1):
            error = (error @ self.weights[layer].T) * (values[layer] > 0)
            found.insert(0, error)
        return found

    def tune(self, images, targets, steps, rate):
        """Move the biases down the slope, by Adam."""
        first, second = [0.0] * 3, [0.0] * 3
        for step in range(1, steps + 1):
            now = rate * (1 - step / (steps + 1))
            for layer, error in enumerate(self.errors(images, targets)):
                slope = error.mean(axis=0)
                first[layer] = 0.9 * first[layer] + 0.1 * slope
                second[layer] = 0.99 * second[layer] + 0.01 * slope**2
                change = first[layer] / (1 - 0.9**step) / (np.sqrt(second[layer] / (1 - 0.99**step)) + 1e-8)
                self.biases[layer] = (self.biases[layer] - now * change).astype(np.float32)

    def save(self, path):
        """Write the arrays that the evaluator reads."""
        arrays = dict(zip(("inputs", "units1", "units2"), (each.astype(np.uint8) for each in self.kept), strict=True))
        for layer in (1, 2, 3):
            small = np.abs(self.weights[layer - 1]) < 1e-3
            arrays[f"weights{layer}"] = np.asfortranarray(np.where(small, np.float32(0), self.weights[layer - 1]))
            arrays[f"biases{layer}"] = self.biases[layer - 1].astype(np.float32)
        np.savez(path, **arrays)


def more(images, random):
    """The images, and each of them with more noise."""
    noisy = np.clip(images + random.normal(0, NOISE, images.shape), 0, 1)
    return np.concatenate([images, noisy]).astype(np.float32)


def main():
    calibration = np.load("calibration.npz")
    images = more(calibration["images"].astype(np.float32) / np.float32(255), np.random.default_rng(1))
    pruned = Pruned(np.load("base.npz"))
    values = pruned.forward(images)[3]
    targets = np.exp(values - values.max(axis=1, keepdims=True))
    targets /= targets.sum(axis=1, keepdims=True)
    whole = [len(each) for each in pruned.kept]
    for turn in range(1, ROUNDS + 1):
        for layer in (2, 1, 0):
            pruned.drop(images, targets, layer, round(whole[layer] * (KEPT[layer] / whole[layer]) ** (turn / ROUNDS)))
        pruned.tune(images, targets, STEPS, RATE)
    pruned.tune(images, targets, 4 * STEPS, RATE)
    pruned.save("pruned.npz")


if __name__ == "__main__":
    main()
