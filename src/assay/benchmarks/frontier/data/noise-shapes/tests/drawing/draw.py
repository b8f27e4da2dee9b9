"""One instrument: two arms whose values differ by a shift, with errors of a shape that the instrument decides."""

from __future__ import annotations

import math
import random
from typing import Any

KINDS = ("bell", "heavy", "skewed", "flat")


def study(source: random.Random, kind: str, settings: dict[str, Any]) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    size = source.randint(*settings["size"])
    scale = source.uniform(*settings["scale"])
    usual, share = source.choice(settings["effects"]), source.uniform(0.8, 1.2)
    # None is exactly zero: an interval from 0 to 0 must not be right.
    effect = usual * share * scale / math.sqrt(size) if usual else settings["margin"] * 1.25 * (share - 1)
    level, sign = source.uniform(80, 120), source.choice((-1, 1))
    rows = []
    for arm in ("a", "b"):
        for _ in range(size):
            value = level + effect * (arm == "b") + scale * sign * error(source, kind)
            rows.append({"arm": arm, "value": round(value, 4)})
    source.shuffle(rows)
    return [{"line": number, **row} for number, row in enumerate(rows, start=1)], {"effect": effect}


def error(source: random.Random, kind: str) -> float:
    """One error of the kind's shape."""
    if kind == "bell":
        return source.gauss(0, 1)
    if kind == "skewed":
        return source.expovariate(1)
    if kind == "flat":
        return source.uniform(-1.5, 1.5)
    return source.gauss(0, 1) / math.sqrt(source.expovariate(1))
