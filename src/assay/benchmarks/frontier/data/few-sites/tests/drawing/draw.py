"""One programme: a few sites of very different size, whose true effects differ not at all, a little, or much."""

from __future__ import annotations

import random
from typing import Any

KINDS = ("alike", "close", "different", "very-different")
CLEAR = 2.0
"""Distance of the mean of the drawn sites from the truth up to which a programme may serve for claims."""


def study(source: random.Random, kind: str, settings: dict[str, Any]) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    effect = source.gauss(0, settings["effect"])
    between = source.uniform(*settings["between"][kind])
    level, rows, owns = source.uniform(40, 60), [], []
    for site in range(source.randint(*settings["sites"])):
        own, size = source.gauss(effect, between), int(10 ** source.uniform(*settings["log_size"]))
        owns.append(own)
        base, spread = level + source.gauss(0, 6), source.uniform(*settings["spread"])
        for arm in ("old", "new"):
            values = [base + own * (arm == "new") + source.gauss(0, spread) for _ in range(size)]
            mean = sum(values) / size
            deviation = (sum((value - mean) ** 2 for value in values) / (size - 1)) ** 0.5
            rows.append({"site": site + 1, "arm": arm, "count": size, "mean": round(mean, 3), "deviation": round(deviation, 3)})
    unclear = abs(sum(owns) / len(owns) - effect) > CLEAR
    return rows, {"effect": effect, "unclear": unclear}
