"""One trial that was looked at after every group of pairs and stopped as soon as it looked decided."""

from __future__ import annotations

import random
from typing import Any

KINDS = ("nothing", "small", "medium", "large")


def study(source: random.Random, kind: str, settings: dict[str, Any]) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    effect = source.choice((-1, 1)) * source.uniform(*settings["effects"][kind])
    total = 0.0
    rows: list[dict[str, Any]] = []
    for look in range(settings["looks"]):
        for _ in range(settings["group"]):
            old = source.gauss(50, settings["noise"])
            new = source.gauss(50 + effect, settings["noise"])
            rows.append({"pair": len(rows) + 1, "old": round(old, 2), "new": round(new, 2)})
            total += new - old
        score = total / (settings["noise"] * (2 * len(rows)) ** 0.5)
        if abs(score) > settings["bound"]:
            break
    return rows, {"effect": effect}
