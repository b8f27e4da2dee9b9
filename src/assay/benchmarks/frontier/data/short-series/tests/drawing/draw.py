"""One short series: a straight line, a step and a bend at a known week, and errors that follow each other more or less closely."""

from __future__ import annotations

import random
from typing import Any

KINDS = ("none", "some", "much", "very-much")


def study(source: random.Random, kind: str, settings: dict[str, Any]) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    memory = source.uniform(*settings["memory"][kind])
    weeks = source.randint(*settings["weeks"])
    start = int(weeks * source.uniform(0.35, 0.65))
    effect, level = source.gauss(0, settings["effect"]), source.gauss(50, settings["level"])
    slope, bend, shock = source.gauss(0, settings["slope"]), source.gauss(0, settings["slope"]), source.uniform(*settings["shock"])
    error = source.gauss(0, shock / (1 - memory**2) ** 0.5)
    rows: list[dict[str, Any]] = []
    for week in range(weeks):
        value = level + slope * week + (week >= start) * (effect + bend * (week - start)) + error
        rows.append({"week": week + 1, "rule": "new" if week >= start else "old", "value": round(value, 2)})
        error = memory * error + source.gauss(0, shock)
    return rows, {"effect": effect}
