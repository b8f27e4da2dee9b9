"""Joint diagonalisation of all cues, then the likelihood of a model for each signal. Run: `python solve.py`."""

import os

os.environ["OPENBLAS_NUM_THREADS"] = "1"

import json
from functools import cache
from math import lgamma
from pathlib import Path

import numpy as np

DELAYS, PIECES, MEMORY, ROUNDS = 8, 12, 4, 14
SHAPES = (0.8, 1.0, 1.3, 1.6, 2.0, 2.6, 3.5, 5.0, 8.0, 12.0)
WIDTHS = (6.0, 15.0)


def whiten(mixed):
    """The mixture turned and scaled so that its parts do not correlate."""
    mixed = mixed - mixed.mean(axis=1, keepdims=True)
    values, vectors = np.linalg.eigh(np.cov(mixed))
    return (vectors / np.sqrt(values)).T @ mixed


def cues(white):
    """Matrices that are diagonal for separate signals: delays, pieces of time and fourth moments."""
    size, length = white.shape
    found = []
    for delay in range(1, DELAYS + 1):
        matrix = white[:, delay:] @ white[:, :-delay].T / length
        found.append((matrix + matrix.T) / 2 * length**0.5)
    for piece in np.array_split(white, PIECES, axis=1):
        found.append((piece @ piece.T / piece.shape[1] - np.eye(size)) * piece.shape[1] ** 0.5 / 2)
    for one in range(size):
        for two in range(one + 1):
            matrix = (white * (white[one] * white[two])) @ white.T / length
            matrix -= np.eye(size) * (one == two)
            matrix[one, two] -= 1.0
            matrix[two, one] -= 1.0
            found.append((matrix + matrix.T) / 2 * length**0.5 / 5)
    return np.array(found)


def diagonalise(matrices):
    """The turn that makes all matrices as diagonal as possible: rotations of two axes at a time."""
    matrices, size = matrices.copy(), matrices.shape[1]
    turn = np.eye(size)
    for _ in range(40):
        largest = 0.0
        for one in range(size):
            for two in range(one + 1, size):
                apart = matrices[:, one, one] - matrices[:, two, two]
                across = 2 * matrices[:, one, two]
                on, off = (apart**2 - across**2).sum(), 2 * (apart * across).sum()
                angle = 0.25 * np.arctan2(off, on)
                largest = max(largest, abs(angle))
                rotation = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
                turn[[one, two]] = rotation @ turn[[one, two]]
                matrices[:, [one, two]] = rotation @ matrices[:, [one, two]]
                matrices[:, :, [one, two]] = matrices[:, :, [one, two]] @ rotation.T
        if largest < 1e-5:
            break
    return turn


def predictor(values):
    """The filter that leaves of a signal what its past does not tell."""
    moments = np.array([values[lag:] @ values[: len(values) - lag] for lag in range(MEMORY + 1)])
    matrix = moments[np.abs(np.subtract.outer(np.arange(MEMORY), np.arange(MEMORY)))]
    weights = np.linalg.solve(matrix + 1e-9 * moments[0] * np.eye(MEMORY), moments[1:])
    gain = len(values) * np.log(1 - weights @ moments[1:] / moments[0])
    return np.array([1.0, *-weights]) if -gain > 2.5 * MEMORY else np.array([1.0])


def filtered(kernel, signals):
    """The filter applied to the rows."""
    out = signals * kernel[0]
    for lag in range(1, len(kernel)):
        out[:, lag:] += kernel[lag] * signals[:, :-lag]
    return out


@cache
def kernels(length):
    """How much each place counts for the level at each other place."""
    distance = np.abs(np.subtract.outer(np.arange(length), np.arange(length)))
    return [np.exp(-distance / width) * (distance > 0) for width in WIDTHS]


def levels(left):
    """How large the signal is around each place, without the place itself, for some widths; and constant."""
    yield np.full(len(left), left.std())
    for kernel in kernels(len(left)):
        near = kernel @ left**2 + 0.5 * left.var()
        yield np.sqrt(near / (kernel.sum(axis=1) + 0.5))


def shape_of(left):
    """How strongly the density that fits best pulls each value, and the level of the signal at each place."""
    best = None
    for number, level in enumerate(levels(left)):
        ratio = left / level
        size = np.abs(ratio) + 0.02
        for shape in SHAPES:
            scale = (shape * (size**shape).mean()) ** (1 / shape)
            value = (-((size / scale) ** shape) - np.log(level)).sum()
            value += len(left) * (np.log(shape / 2 / scale) - lgamma(1 / shape)) - 8.0 * (number > 0)
            if best is None or value > best[0]:
                pull = shape * np.sign(ratio) * size ** (shape - 1) / scale**shape / level
                best = value, pull, level
    return best[1:]


def refine(white, turn):
    """Newton steps on the likelihood, with a model of each signal that is fitted again at each step."""
    matrix, size = turn.copy(), len(turn)
    for step in range(ROUNDS):
        signals = matrix @ white
        pulls, steep = np.empty((size, size)), np.empty((size, size))
        for number in range(size):
            kernel = predictor(signals[number])
            through = filtered(kernel, signals)
            pull, level = shape_of(through[number])
            pulls[number] = (pull * through).mean(axis=1)
            weight = ((pull * level) ** 2).mean() / level**2
            steep[number] = (weight * through**2).mean(axis=1)
        change = np.zeros((size, size))
        for one in range(size):
            change[one, one] = -(pulls[one, one] - 1) / 2
            for two in range(one):
                block = np.array([[steep[one, two], 1.0], [1.0, steep[two, one]]])
                block += np.eye(2) * max(0.0, 0.1 - np.linalg.eigvalsh(block)[0])
                change[[one, two], [two, one]] = -np.linalg.solve(block, [pulls[one, two], pulls[two, one]])
        change = np.clip(change, -0.3, 0.3) * (0.8 if step < ROUNDS - 8 else 0.4)
        matrix = matrix + change @ matrix
        matrix /= (matrix @ white).std(axis=1, keepdims=True)
    return matrix @ white


def separate(mixed):
    """The signals of one mixture."""
    white = whiten(mixed)
    return refine(white, diagonalise(cues(white)))


def main():
    signals = [separate(np.array(mixed)) for mixed in json.loads(Path("problem.json").read_text())["mixed"]]
    Path("answers.json").write_text(json.dumps({"signals": [one.round(4).tolist() for one in signals]}))


if __name__ == "__main__":
    main()
