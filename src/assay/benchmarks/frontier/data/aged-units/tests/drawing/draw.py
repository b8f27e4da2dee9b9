"""One firm: pumps that failed before they could be taken over are never seen, and contracts end before the pumps do."""

from __future__ import annotations

import math
import random
from typing import Any


def study(source: random.Random, settings: dict[str, Any]) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    chances = {make: source.choice(settings["chances"]) * source.uniform(0.9, 1.1) for make in ("oak", "elm")}
    habits = source.sample(settings["used"], 2)
    size, length = source.choice(("few", "many")), source.choice(("short", "long"))
    rows: list[dict[str, Any]] = []
    for (make, chance), habit in zip(chances.items(), habits, strict=True):
        shape = source.uniform(*settings["shape"])
        scale = 100 / (-math.log(chance)) ** (1 / shape)
        used = source.uniform(*habit)
        for _ in range(source.randint(*settings["units"][size])):
            while True:
                begin = source.uniform(5, settings["oldest"]) if source.random() < used else 0.0
                life = scale * (-math.log(1 - source.random())) ** (1 / shape)
                if life > begin:
                    break
            end = begin + source.uniform(*settings["contract"][length])
            rows.append(
                {
                    "pump": 0,
                    "make": make,
                    "taken_over": round(begin, 1),
                    "last_age": round(max(min(life, end), begin + 0.1), 1),
                    "failed": int(life <= end),
                    "power": source.choice((2, 4, 7)),
                }
            )
    source.shuffle(rows)
    for number, row in enumerate(rows, 1):
        row["pump"] = number
    return rows, {"effect": 100 * (chances["elm"] - chances["oak"]), "kind": f"{size}, {length}"}
