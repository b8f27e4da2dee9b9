"""One user: kernels are spread unevenly over machines and states; some machines give much less exact times than others."""

from __future__ import annotations

import math
import random
from typing import Any


def study(source: random.Random, settings: dict[str, Any]) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    size, mixture = source.choice(("few", "many")), source.choice(("alike", "mixed"))
    machines = source.randint(*settings["machines"][size])
    usual, share = source.choice(settings["effects"]), source.uniform(0.8, 1.2)
    # None is exactly zero: an interval from 0 to 0 must not be right.
    effect = usual * share if usual else settings["margin"] * 5 * (share - 1)
    cold = source.uniform(*settings["warm"])
    levels = [60 + source.gauss(0, settings["machine_spread"]) for _ in range(machines)]
    noises = [settings["noise"] * math.exp(source.gauss(0, settings["unlike"][mixture])) for _ in range(machines)]
    hopeless = source.random() < settings["hopeless"]
    kind = source.choice(("machines", "states"))
    lean = [source.choice((0, 1)) for _ in range(machines)]
    lean[:2] = [0, 1]
    cold_is_new = source.random() < 0.5
    rows: list[dict[str, Any]] = []
    for number in range(1, source.randint(*settings["runs"][size]) + 1):
        machine = source.randrange(machines)
        is_cold = source.random() < 0.4
        if hopeless:
            is_new = bool(lean[machine]) if kind == "machines" else is_cold == cold_is_new
        else:
            tilted = settings["lopsided"] if lean[machine] else 1 - settings["lopsided"]
            chance = tilted + (0.15 if is_cold == cold_is_new else -0.15)
            is_new = source.random() < chance
        seconds = levels[machine] + cold * is_cold + effect * is_new + source.gauss(0, noises[machine])
        rows.append(
            {
                "run": number,
                "machine": f"m{machine + 1}",
                "state": "cold" if is_cold else "warm",
                "kernel": "new" if is_new else "old",
                "seconds": round(seconds, 2),
            }
        )
    return rows, {"undecidable": True} if hopeless else {"effect": effect, "kind": f"{size}, {mixture}"}
