"""Trains a classifier and draws its images: `ASSAY_SEED=7 python draw.py`, in an empty folder.

Grading runs this with a seed that nobody knows, so that units and biases that fit a published classifier, or a
published set of hidden images, are worth nothing. `workspace/base.npz` and `workspace/calibration.npz` are for the
build; `truth/base.npz` and `truth/hidden.npz` are for the evaluator. Seed 7 made the files of the workspace.

The images are ours: digits drawn by strokes that a seed bends, turns and moves, with noise. Every image is drawn by
itself, and none is in two of the three sets.
"""

import os

os.environ["OPENBLAS_NUM_THREADS"] = "1"

from pathlib import Path

import numpy as np

SIZES = (64, 256, 128, 10)
TRAINING, CALIBRATION, HIDDEN = 8000, 800, 4800
EPOCHS, BATCH, RATE = 12, 64, 1e-3
SIDE, SEGMENTS = 8, 8
STROKES = {
    0: [(5, 1), (3, 1.5), (2, 4), (3, 6.5), (5, 7), (6, 4), (5, 1)],
    1: [(3, 2.5), (4.5, 1), (4.5, 4), (4.5, 7)],
    2: [(2, 2.5), (3.5, 1), (5.5, 2), (5, 4), (3, 5.5), (2, 7), (6, 7)],
    3: [(2, 1), (5.5, 1.5), (5, 3.5), (3.5, 4), (5.5, 4.7), (5, 6.7), (2, 7)],
    4: [(4.5, 1), (2, 5), (6, 5), (5, 5), (5, 3), (5, 7)],
    5: [(6, 1), (2.5, 1), (2.3, 3.6), (5, 3.6), (5.8, 5.3), (4.5, 7), (2, 6.6)],
    6: [(5.5, 1), (3, 3), (2, 5.5), (3.5, 7), (5.5, 6), (5, 4.5), (2.3, 5)],
    7: [(2, 1), (6, 1), (4.5, 4), (3.5, 7)],
    8: [(4, 4), (2.5, 2.5), (4, 1), (5.5, 2.5), (4, 4), (2.3, 5.6), (4, 7), (5.7, 5.6), (4, 4)],
    9: [(5.7, 3), (4, 4.2), (2.4, 2.6), (4, 1), (5.7, 2.4), (5.4, 5), (4.4, 7)],
}


def segments(digit):
    """The strokes of a digit as a fixed number of pieces around the middle of the picture, by start and end."""
    points = np.array(STROKES[digit], dtype=float) - 4
    pieces = np.stack([points[:-1], points[1:]], axis=1)
    return np.concatenate([pieces, np.repeat(pieces[-1:], SEGMENTS - len(pieces), axis=0)])


def draw(number, random):
    """So many images of 0 to 255 with their labels."""
    labels = random.integers(10, size=number)
    pieces = np.array([segments(digit) for digit in range(10)])[labels]
    bent = pieces + random.normal(0, 0.3, pieces.shape)
    joined = (pieces[:, 1:, 0] == pieces[:, :-1, 1]).all(axis=-1, keepdims=True)
    bent[:, 1:, 0] = np.where(joined, bent[:, :-1, 1], bent[:, 1:, 0])
    angle, slant = random.normal(0, 0.17, number), random.normal(0, 0.2, number)
    turn = np.stack([np.cos(angle), -np.sin(angle) + slant, np.sin(angle), np.cos(angle)], axis=1).reshape(-1, 2, 2)
    turn = turn * random.uniform(0.75, 1.1, (number, 2, 1))
    bent = np.einsum("nij,nspj->nspi", turn, bent) + random.normal(0, 0.45, (number, 1, 1, 2))
    grid = np.stack(np.meshgrid(np.arange(SIDE), np.arange(SIDE)), axis=-1).reshape(-1, 2) - (SIDE - 1) / 2
    start, along = bent[:, None, :, 0], (bent[:, :, 1] - bent[:, :, 0])[:, None]
    share = ((grid[None, :, None] - start) * along).sum(-1) / ((along * along).sum(-1) + 1e-9)
    nearest = start + np.clip(share, 0, 1)[..., None] * along
    distance = np.sqrt(((grid[None, :, None] - nearest) ** 2).sum(-1)).min(axis=-1)
    ink = np.clip(1.3 - distance / random.uniform(0.6, 1.0, (number, 1)), 0, 1)
    noisy = np.clip(ink + random.normal(0, 0.15, ink.shape), 0, 1)
    return (np.round(noisy * 31) * 8).astype(np.uint8), labels.astype(np.uint8)


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
        inputs = images.astype(np.float32) / np.float32(255)
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


def main():
    random = np.random.default_rng(int(os.environ.get("ASSAY_SEED", "7")))
    weights, biases = train(*draw(TRAINING, random), random)
    named = {f"weights{layer}": weight for layer, weight in enumerate(weights, 1)}
    named |= {f"biases{layer}": bias for layer, bias in enumerate(biases, 1)}
    workspace, truth = Path("workspace"), Path("truth")
    for folder in (workspace, truth):
        folder.mkdir(exist_ok=True)
        np.savez(folder / "base.npz", **named)
    for path, number in ((workspace / "calibration.npz", CALIBRATION), (truth / "hidden.npz", HIDDEN)):
        images, labels = draw(number, random)
        np.savez_compressed(path, images=images, labels=labels)
    right = forward(weights, biases, images.astype(np.float32) / 255)[-1].argmax(axis=1) == labels
    print(f"the whole classifier is right on {right.mean():.4f} of the hidden images")


if __name__ == "__main__":
    main()
