"""One task: a sharp and a broad optimum, sweeps of unequal size, and scores with noise."""

from __future__ import annotations

import math
import random
from typing import Any

CELLS = 400
"""Steps of the score by which the true number of each method is computed."""


def score(shape: dict[str, float], place: float) -> float:
    """The score at the logarithm of a rate."""
    return shape["peak"] - min(shape["curvature"] * (place - shape["best"]) ** 2, shape["depth"])


def share_below(shape: dict[str, float], loss: float) -> float:
    """The share of rates that lose at most this much to the best one."""
    if loss <= 0:
        return 0.0
    if loss >= shape["depth"]:
        return 1.0
    reach = math.sqrt(loss / shape["curvature"])
    return (min(shape["best"] + reach, 0.0) - max(shape["best"] - reach, -3.0)) / 3


def expected(shape: dict[str, float], trials: int, noise: float) -> float:
    """The mean true score of the trial with the best validation score among some."""
    step = (shape["depth"] + 9 * noise) / CELLS
    losses = [-4.5 * noise + step * (cell + 0.5) for cell in range(CELLS)]
    masses = [share_below(shape, loss + step / 2) - share_below(shape, loss - step / 2) for loss in losses]
    reach = math.ceil(4.5 * noise / step)
    kernel = [math.exp(-0.5 * (lag * step / noise) ** 2) for lag in range(-reach, reach + 1)]
    total, reached, result = sum(kernel), 0.0, 0.0
    for cell in range(CELLS):
        density = weighed = 0.0
        for other in range(max(0, cell - reach), min(CELLS, cell + reach + 1)):
            part = masses[other] * kernel[other - cell + reach] / total
            density += part
            weighed += part * min(max(losses[other], 0.0), shape["depth"])
        if density > 0:
            chosen = max(1 - reached, 0.0) ** trials - max(1 - reached - density, 0.0) ** trials
            result += chosen * weighed / density
        reached += density
    return shape["peak"] - result


def study(source: random.Random, settings: dict[str, Any]) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    sizes = [source.randint(*settings["many"]), source.randint(*settings["few"])]
    kind = source.choice(("exact", "noisy")), source.choice(("broad", "sharp"))
    if source.random() < 0.25:
        sizes.reverse()
    counts = dict(zip(("probe", "anchor"), sizes, strict=True))
    rows: list[dict[str, Any]] = []
    values = {}
    low, high = settings["curvature"][kind[1]]
    for method, count in counts.items():
        shape = {
            "peak": 80 + source.gauss(0, settings["peak_spread"]),
            "best": source.uniform(-2.6, -0.4),
            "curvature": source.uniform(low, high),
            "depth": source.uniform(*settings["depth"]),
        }
        noise = source.uniform(*settings["noise"][kind[0]])
        values[method] = expected(shape, settings["trials"], noise)
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
    return rows, {"effect": values["probe"] - values["anchor"], "kind": ", ".join(kind)}
