"""One family: a constant plus a power of the size; runs that were stopped early lie above the curve."""

from __future__ import annotations

import random
from typing import Any


def study(source: random.Random, settings: dict[str, Any]) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    floor, scale = source.uniform(*settings["floor"]), source.uniform(*settings["scale"])
    power, noise = source.uniform(*settings["power"]), source.uniform(*settings["noise"])
    many, far = source.random() < 0.5, source.random() < 0.5
    stopped = source.uniform(*settings["stopped_often" if many else "stopped"])
    penalty, decades = source.uniform(*settings["penalty"]), source.uniform(*settings["decades"])
    target = 10 * round(10**decades * source.uniform(*settings["reach_far" if far else "reach"]) / 10)
    true = floor + scale * target**-power
    goal = round(true + source.uniform(*settings["goal_gap"]), 3)
    rows: list[dict[str, Any]] = []
    for number in range(1, source.randint(*settings["runs"]) + 1):
        size = round(10 ** source.uniform(0, decades), 2)
        planned = 100 * round(20 * size**0.5)
        progress = 1.0
        # Large runs take longer, so they are the ones whose time is up.
        if source.random() < stopped * (0.3 + 1.4 * (size > 10)):
            progress = source.uniform(0.55, 0.95)
        steps = round(progress * planned)
        loss = floor + scale * size**-power + penalty * (1 - progress) + source.gauss(0, noise)
        row = {"run": number, "size": size, "steps": steps, "planned": planned}
        rows.append({**row, "loss": round(loss, 4), "target": target, "goal": goal})
    return rows, {"effect": true - goal, "kind": f"{'many' if many else 'few'} stopped, {'far' if far else 'near'}"}
