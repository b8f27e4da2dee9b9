"""A network of one hidden layer over the last characters, trained by Adam. Run: `python train.py`."""

import os

os.environ["OPENBLAS_NUM_THREADS"] = "1"

import json
from pathlib import Path

import numpy as np

from language import TRAINING_ENTRIES, Language, Writer
from predict import LENGTH

CODE, HIDDEN = 8, 64
STEPS, BATCH, RATE = 4000, 256, 8e-3


def windows(text, place):
    """The codes of the characters before each character, and its own; nothing of the entry before is seen."""
    before, after = [], []
    for entry in text.splitlines(keepends=True):
        codes = [place["\n"]] * LENGTH + [place[each] for each in entry]
        before += [codes[at : at + LENGTH] for at in range(len(entry))]
        after += codes[LENGTH:]
    return np.array(before, dtype=np.int16), np.array(after, dtype=np.int16)


def slopes(parts, before, after):
    """The slope of the mean cross entropy for each array."""
    codes, weights1, biases1, weights2, biases2 = parts
    inputs = codes[before].reshape(len(before), -1)
    hidden = np.tanh(inputs @ weights1 + biases1)
    values = hidden @ weights2 + biases2
    values -= values.max(axis=1, keepdims=True)
    error = np.exp(values)
    error /= error.sum(axis=1, keepdims=True)
    rows = np.arange(len(after))
    error[rows, after] -= 1
    error /= len(after)
    back = (error @ weights2.T) * (1 - hidden * hidden)
    into = (back @ weights1.T).reshape(-1, codes.shape[1])
    chosen = np.zeros((before.size, len(codes)), dtype=np.float32)
    chosen[np.arange(before.size), before.ravel()] = 1
    return [chosen.T @ into, inputs.T @ back, back.sum(axis=0), hidden.T @ error, error.sum(axis=0)]


def train(before, after, size):
    """The five arrays."""
    random = np.random.default_rng(5)
    shapes = [(size, CODE), (LENGTH * CODE, HIDDEN), (HIDDEN,), (HIDDEN, size), (size,)]
    scales = [0.5, (LENGTH * CODE) ** -0.5, 0.0, HIDDEN**-0.5, 0.0]
    parts = [(random.normal(0, 1, shape) * scale).astype(np.float32) for shape, scale in zip(shapes, scales)]
    first, second = [np.zeros_like(each) for each in parts], [np.zeros_like(each) for each in parts]
    for step in range(1, STEPS + 1):
        chosen = random.integers(len(after), size=BATCH)
        found = slopes(parts, before[chosen], after[chosen])
        rate = RATE * min(1.0, 1.15 * (1 - step / (STEPS + 1)))
        for number, slope in enumerate(found):
            first[number] += 0.1 * (slope - first[number])
            second[number] += 0.01 * (slope * slope - second[number])
            change = first[number] / (1 - 0.9**step) / (np.sqrt(second[number] / (1 - 0.99**step)) + 1e-8)
            parts[number] -= (rate * change).astype(np.float32)
    return parts


def main():
    alphabet = json.loads(Path("alphabet.json").read_text())
    place = {character: number for number, character in enumerate(alphabet)}
    writer = Writer(Language("20260 language"), "20260 training")
    text = "".join(writer.entry() for _ in range(TRAINING_ENTRIES))
    before, after = windows(text, place)
    names = ("codes", "weights1", "biases1", "weights2", "biases2")
    np.savez("model.npz", **dict(zip(names, train(before, after, len(alphabet)))))


if __name__ == "__main__":
    main()
