"""Draws formulas of two variables and noisy points of each: `ASSAY_SEED=7 python draw.py`.

Writes workspace/problem.json (for solve.py) and truth/truth.json (for the score).
"""

import os

os.environ["OPENBLAS_NUM_THREADS"] = "1"

import json
from pathlib import Path

import numpy as np

FORMULAS, GIVEN, ASKED = 80, 40, 60
NEAR, FAR, NOISE = 2.0, 3.0, 0.05
INSIDE = [
    lambda x, y: x, lambda x, y: y, lambda x, y: x + y, lambda x, y: x - y, lambda x, y: x * y,
    lambda x, y: x * x + y * y,
]
SHAPES = [np.sin, np.cos, np.tanh, lambda v: 1 / (1 + v * v), lambda v: np.exp(-v * v / 2)]
POWERS = [lambda v: v, lambda v: v**2, np.abs]


def term(random):
    """A function of both variables: a shape at some pace, or a power, of a simple inside."""
    inside = INSIDE[random.integers(len(INSIDE))]
    if random.random() < 0.3:
        power = POWERS[random.integers(len(POWERS))]
        return lambda x, y: power(inside(x, y))
    shape, pace = SHAPES[random.integers(len(SHAPES))], random.uniform(0.6, 2.4)
    return lambda x, y: shape(pace * inside(x, y))


def formula(random):
    """A product or a sum of two terms, with a constant."""
    one, two = term(random), term(random)
    sizes = random.uniform(0.8, 2.0, 2) * random.choice([-1.0, 1.0], 2)
    constant = random.uniform(-2.0, 2.0)
    if random.random() < 0.5:
        return lambda x, y: sizes[0] * one(x, y) * two(x, y) + constant
    return lambda x, y: sizes[0] * one(x, y) + sizes[1] * two(x, y) + constant


def points(rule, random):
    """Noisy points near the middle, and places with exact values in a wider square."""
    near, far = random.uniform(-NEAR, NEAR, (GIVEN, 2)).round(3), random.uniform(-FAR, FAR, (ASKED, 2)).round(3)
    exact = rule(*near.T)
    return near, exact + random.normal(0.0, NOISE * exact.std(), GIVEN), far, rule(*far.T), exact.std()


def main():
    random = np.random.default_rng(int(os.environ.get("ASSAY_SEED", "7")))
    given, asked, values = [], [], []
    while len(given) < FORMULAS:
        near, noisy, far, later, spread = points(formula(random), random)
        if spread > 0.2 and later.std() > 0.2:
            given.append(np.column_stack([near, noisy]).round(3).tolist())
            asked.append(far.tolist())
            values.append(later.round(4).tolist())
    for folder in ("workspace", "truth"):
        Path(folder).mkdir(exist_ok=True)
    problem = json.dumps({"given": given, "asked": asked}, separators=(",", ":"))
    Path("workspace/problem.json").write_text(problem)
    Path("truth/truth.json").write_text(json.dumps({"values": values}, separators=(",", ":")))


if __name__ == "__main__":
    main()
