"""One programme: a few sites of very different size, whose true effects differ not at all, a little, or much."""

from __future__ import annotations

import random
from typing import Any

KINDS = ("alike", "close", "different", "very-different")


def study(source: random.Random, kind: str, settings: dict[str, Any]) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    effect = source.gauss(0, settings["effect"])
    between = source.uniform(*settings["between"][kind])
    level, rows = source.uniform(40, 60), []
    for site in range(source.randint(*settings["sites"])):
        own, size = source.gauss(effect, between), int(10 ** source.uniform(*settings["log_size"]))
        base, spread = level + source.gauss(0, 6), source.uniform(*settings["spread"])
        for arm in ("old", "new"):
            values = [base + own * (arm == "new") + source.gauss(0, spread) for _ in range(size)]
            mean = sum(values) / size
            deviation = (sum((value - mean) ** 2 for value in values) / (size - 1)) ** 0.5
            rows.append({"site": site + 1, "arm": arm, "count": size, "mean": round(mean, 3), "deviation": round(deviation, 3)})
    return rows, {"effect": effect}
