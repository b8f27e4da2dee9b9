"""Parameters of a run read with care, and the same training made anew from the truth."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import numpy as np
from evidence import DATA, Unmet, drawn_runs, number, read_json

RUNS = {"default": (0, "public.npz"), "other-seed": (5, "public.npz"), "other-digits": (0, "hidden.npz")}
RUNS |= drawn_runs("public.npz")
OPTIMISERS = ("plain", "momentum", "matched")
REPEATS = 3
STEPS = 300
BATCH = 32
RATE = 0.05
COEFFICIENT = 0.9

Parameters = np.ndarray
"""65 x 10: the weights, and the bias as last row."""


@cache
def images_of(variation: str) -> tuple[np.ndarray, np.ndarray]:
    """Images with a column of ones for the bias, and their digits."""
    with np.load(DATA / RUNS[variation][1]) as file:
        pixels, labels = file["images"] / 16.0, file["labels"].astype(int)
    return np.hstack([pixels, np.ones((len(pixels), 1))]), labels


def rows_of(variation: str, repeat: int) -> tuple[np.ndarray, np.ndarray]:
    """Training rows and test rows."""
    count = len(images_of(variation)[1])
    order = np.random.default_rng([RUNS[variation][0], repeat, 0]).permutation(count)
    return order[: count * 7 // 10], order[count * 7 // 10 :]


def scores(parameters: Parameters, images: np.ndarray) -> np.ndarray:
    """Log-probabilities of the digits."""
    raw = images @ parameters
    raw = raw - raw.max(axis=1, keepdims=True)
    return raw - np.log(np.exp(raw).sum(axis=1, keepdims=True))


def train_loss(parameters: Parameters, variation: str, repeat: int) -> float:
    """Cross-entropy on all training images."""
    images, labels = images_of(variation)
    rows = rows_of(variation, repeat)[0]
    return float(-scores(parameters, images[rows])[np.arange(len(rows)), labels[rows]].mean())


def test_accuracy(parameters: Parameters, variation: str, repeat: int) -> float:
    """Share of test images told right."""
    images, labels = images_of(variation)
    rows = rows_of(variation, repeat)[1]
    return float(np.mean(scores(parameters, images[rows]).argmax(axis=1) == labels[rows]))


def trained(
    variation: str, rate: float, coefficient: float, *, share: float = 1.0, decay: bool = True, repeat: int = 0
) -> Parameters:
    """Parameters after the last step; `share` scales the gradient as it enters the velocity."""
    *_, last = descent(variation, rate, coefficient, share=share, decay=decay, repeat=repeat)
    return last


def descent(
    variation: str, rate: float, coefficient: float, *, share: float = 1.0, decay: bool = True, repeat: int = 0
) -> Iterator[Parameters]:
    """Parameters before the first step and after each."""
    images, labels = images_of(variation)
    rows = rows_of(variation, repeat)[0]
    order = np.random.default_rng([RUNS[variation][0], repeat, 1]).integers(0, len(rows), (STEPS, BATCH))
    parameters = np.zeros((images.shape[1], 10))
    velocity = np.zeros_like(parameters)
    yield parameters
    for step, batch in enumerate(rows[order]):
        excess = np.exp(scores(parameters, images[batch]))
        excess[np.arange(BATCH), labels[batch]] -= 1.0
        velocity = coefficient * velocity + share * (images[batch].T @ excess) / BATCH
        parameters = parameters - rate * (1 - step / STEPS if decay else 1.0) * velocity
        yield parameters


def distance(found: Parameters, expected: Parameters) -> float:
    """How far parameters are apart, as a share of the expected ones' size."""
    return float(np.linalg.norm(found - expected) / max(np.linalg.norm(expected), 1e-9))


@cache
def submitted(variation: str) -> dict[tuple[str, int], Parameters]:
    """weights.json by optimiser and repeat."""
    found = read_json(variation, "weights.json")
    parameters = {}
    for entry in found if isinstance(found, list) else []:
        if not isinstance(entry, dict) or not isinstance(entry.get("optimiser"), str) or type(entry.get("repeat")) is not int:
            raise Unmet(f"weights.json of run {variation!r} holds an entry without optimiser and repeat")
        place = f"weights.json of run {variation!r}, {ascii(entry['optimiser'])[:20]}, repeat {str(entry['repeat'])[:9]}"
        rows = entry.get("weights")
        if not isinstance(rows, list) or not isinstance(entry.get("bias"), list):
            raise Unmet(f"{place}: weights and bias must be lists")
        whole = [*rows, entry["bias"]]
        if len(whole) != 65 or any(not isinstance(row, list) or len(row) != 10 for row in whole):
            raise Unmet(f"{place}: expected 64 lists of 10 weights and 10 biases")
        values = np.array([[number(value, place) for value in row] for row in whole])
        if np.abs(values).max() > 1e6:
            raise Unmet(f"{place}: a parameter exceeds a million")
        parameters[entry["optimiser"], entry["repeat"]] = values
    expected = {(name, repeat) for name in OPTIMISERS for repeat in range(REPEATS)}
    if set(parameters) != expected:
        raise Unmet(f"weights.json of run {variation!r} has {len(parameters)} trainings, expected 3 repeats of 3 optimisers")
    return parameters
