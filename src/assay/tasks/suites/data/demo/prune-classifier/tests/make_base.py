"""Makes the classifier and the images of this task: `python make_base.py WORKSPACE_FOLDER TESTS_FOLDER`.

Needs scikit-learn, for its digits; every image gets noise of its own, so the hidden ones stand in no public set.
Written once; the files it made are kept beside it.
"""

import os

os.environ["OPENBLAS_NUM_THREADS"] = "1"

import shutil
import sys
from pathlib import Path

import numpy as np
from sklearn.datasets import load_digits

SIZES = (64, 256, 128, 10)
TRAINING, CALIBRATION, COPIES = 1200, 800, 2
EPOCHS, BATCH, RATE = 20, 64, 1e-3


def noisy(images, random):
    """Images of 0 to 255, each pixel off by a random amount."""
    changed = images / 16 + random.normal(0, 0.18, images.shape)
    return np.round(np.clip(changed, 0, 1) * 255).astype(np.uint8)


def forward(weights, biases, images):
    """The values after each layer."""
    values = [images]
    for layer, (weight, bias) in enumerate(zip(weights, biases, strict=True)):
        after = values[-1] @ weight + bias
        values.append(after if layer == 2 else np.maximum(after, 0))
    return values


def gradients(weights, biases, images, labels):
    """Of the mean cross entropy, weights first."""
    values = forward(weights, biases, images)
    error = np.exp(values[-1] - values[-1].max(axis=1, keepdims=True))
    error /= error.sum(axis=1, keepdims=True)
    error[np.arange(len(labels)), labels] -= 1
    error /= len(labels)
    of_weights, of_biases = [], []
    for layer in (2, 1, 0):
        of_weights.insert(0, values[layer].T @ error)
        of_biases.insert(0, error.sum(axis=0))
        error = (error @ weights[layer].T) * (values[layer] > 0)
    return of_weights + of_biases


def train(images, labels, random):
    """Weights and biases, by Adam."""
    weights = [random.normal(0, (2 / a) ** 0.5, (a, b)).astype(np.float32) for a, b in zip(SIZES, SIZES[1:])]
    biases = [np.zeros(size, dtype=np.float32) for size in SIZES[1:]]
    parts = weights + biases
    first, second = [np.zeros_like(each) for each in parts], [np.zeros_like(each) for each in parts]
    step = 0
    for _ in range(EPOCHS):
        inputs = noisy(images, random).astype(np.float32) / np.float32(255)
        order = random.permutation(len(inputs))
        for start in range(0, len(order), BATCH):
            chosen = order[start : start + BATCH]
            step += 1
            for number, slope in enumerate(gradients(weights, biases, inputs[chosen], labels[chosen])):
                first[number] = 0.9 * first[number] + 0.1 * slope
                second[number] = 0.999 * second[number] + 0.001 * slope**2
                change = first[number] / (1 - 0.9**step) / (np.sqrt(second[number] / (1 - 0.999**step)) + 1e-8)
                parts[number] -= (RATE * change).astype(np.float32)
    return weights, biases


def main(workspace, tests):
    random = np.random.default_rng(7)
    images, labels = load_digits(return_X_y=True)
    order = random.permutation(len(images))
    images, labels = images[order], labels[order]
    weights, biases = train(np.repeat(images[:TRAINING], 2, axis=0), np.repeat(labels[:TRAINING], 2), random)
    named = {f"weights{layer}": weight for layer, weight in enumerate(weights, 1)}
    named |= {f"biases{layer}": bias for layer, bias in enumerate(biases, 1)}
    np.savez(workspace / "base.npz", **named)
    shutil.copy(workspace / "base.npz", tests / "base.npz")
    calibration = {"images": noisy(images[:CALIBRATION], random), "labels": labels[:CALIBRATION].astype(np.uint8)}
    np.savez_compressed(workspace / "calibration.npz", **calibration)
    hidden = np.repeat(np.arange(TRAINING, len(images)), COPIES)
    truth = {"images": noisy(images[hidden], random), "labels": labels[hidden].astype(np.uint8)}
    np.savez_compressed(tests / "hidden.npz", **truth)
    right = forward(weights, biases, truth["images"].astype(np.float32) / 255)[-1].argmax(axis=1) == truth["labels"]
    print(f"the whole classifier is right on {right.mean():.4f} of the hidden images")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
