"""One log: tier and queue move both the router and the minutes; turns and transfer are made by the assistant."""

from __future__ import annotations

import math
import random
from collections import Counter
from typing import Any


FEWEST = 3
"""Cases of each tier that each assistant has at least, so that every study can give the number."""


def study(source: random.Random, settings: dict[str, Any]) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """A study, drawn again until each assistant has some cases of each tier."""
    while True:
        rows, truth = one_study(source, settings)
        cells = Counter((row["assistant"], row["tier"]) for row in rows)
        if all(cells[name, tier] >= FEWEST for name in ("old", "new") for tier in (1, 2, 3)):
            return rows, truth


def one_study(source: random.Random, settings: dict[str, Any]) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    size = source.choice(("few", "many"))
    count = source.randint(*settings["cases"][size])
    middle = source.choice((-4.0, -2.5, 0.0, 0.0, 2.5, 4.0)) * source.uniform(0.8, 1.2)
    slope = source.choice((-1, 1)) * settings["spread_of_effects"] * source.uniform(0.7, 1.1)
    effects = [middle - slope, middle, middle + slope]
    sign = source.choice((-1, 1))
    shares = [source.uniform(0.2, 0.5) for _ in range(3)]
    turn_change = source.choice(settings["turn_change"]) * source.uniform(0.7, 1.3)
    rows: list[dict[str, Any]] = []
    total = 0.0
    for number in range(1, count + 1):
        tier = source.choices((0, 1, 2), shares)[0]
        queue = max(0, round(source.gauss(16 + 2 * tier, 6)))
        pull = sign * (settings["tier_pull"][tier] + settings["queue_pull"] * (queue - 18))
        is_new = source.random() < 1 / (1 + math.exp(-pull))
        effect = effects[tier]
        total += effect
        turns = max(1, round(10 + 2 * tier + turn_change * is_new + source.gauss(0, 2)))
        own = effect - settings["turn_minutes"] * turn_change
        minutes = 30 + settings["tier_minutes"][tier] + settings["queue_minutes"] * queue + own * is_new
        minutes += settings["turn_minutes"] * (turns - 10 - 2 * tier) + source.gauss(0, settings["noise"])
        rows.append(
            {
                "case": number,
                "tier": tier + 1,
                "queue": queue,
                "region": source.choice(("north", "south", "west")),
                "assistant": "new" if is_new else "old",
                "turns": turns,
                "transferred": int(source.random() < 1 / (1 + math.exp(-(minutes - 64) / 6))),
                "minutes": round(minutes, 1),
            }
        )
    return rows, {"effect": total / count, "kind": f"{size}, {'new' if sign > 0 else 'old'}"}
