"""One task: a sharp and a broad optimum, sweeps of unequal size, and scores with noise."""

from __future__ import annotations

import random
from typing import Any

POINTS = 1500
"""Groups that are drawn to find the true number of each method."""


def score(shape: dict[str, float], place: float) -> float:
    """The score at the logarithm of a rate."""
    return shape["peak"] - min(shape["curvature"] * (place - shape["best"]) ** 2, 25.0)


def expected(source: random.Random, shape: dict[str, float], trials: int, noise: float) -> float:
    """The mean test score of the trial with the best validation score among some."""
    total = 0.0
    for _ in range(POINTS):
        best, kept = -1e9, 0.0
        for _ in range(trials):
            true = score(shape, source.uniform(-3, 0))
            valid = true + source.gauss(0, noise)
            if valid > best:
                best, kept = valid, true
        total += kept
    return total / POINTS


def study(source: random.Random, settings: dict[str, Any]) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    sizes = [source.randint(*settings["many"]), source.randint(*settings["few"])]
    if source.random() < 0.25:
        sizes.reverse()
    counts = dict(zip(("probe", "anchor"), sizes, strict=True))
    rows: list[dict[str, Any]] = []
    values = {}
    low, high = settings["curvature"]
    for method, count in counts.items():
        shape = {
            "peak": 80 + source.gauss(0, settings["peak_spread"]),
            "best": source.uniform(-2.6, -0.4),
            "curvature": source.uniform(low, high),
        }
        noise = source.uniform(*settings["noise"])
        values[method] = expected(source, shape, settings["trials"], noise)
        for _ in range(count):
            place = source.uniform(-3, 0)
            true = score(shape, place)
            rows.append(
                {
                    "trial": 0,
                    "method": method,
                    "rate": round(10**place, 5),
                    "valid": round(true + source.gauss(0, noise), 2),
                    "test": round(true + source.gauss(0, noise), 2),
                }
            )
    source.shuffle(rows)
    for number, row in enumerate(rows, 1):
        row["trial"] = number
    return rows, {"effect": values["probe"] - values["anchor"]}
