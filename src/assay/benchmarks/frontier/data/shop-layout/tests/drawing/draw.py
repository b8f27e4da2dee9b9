"""One trial: shops are drawn by lot, visits of a shop belong together, and days before 0 have the old layout everywhere."""

from __future__ import annotations

import random
from typing import Any


def study(source: random.Random, settings: dict[str, Any]) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    many, steady = source.random() < 0.5, source.random() < 0.5
    count = 2 * (source.randint(*settings["many_shops" if many else "shops"]) // 2)
    shop_change = source.uniform(*settings["steady_change" if steady else "shop_change"])
    usual, share = source.choice(settings["effects"]), source.uniform(0.8, 1.2)
    # None is exactly zero: an interval from 0 to 0 must not be right.
    effect = usual * share if usual else settings["margin"] * 1.25 * (share - 1)
    arms = ["old", "new"] * (count // 2)
    source.shuffle(arms)
    season = source.uniform(-1, 1) * settings["season"]
    days = source.randint(8, 14)
    rows: list[dict[str, Any]] = []
    for shop, arm in enumerate(arms, 1):
        level = 20 + source.gauss(0, settings["shop_spread"])
        shoppers = [source.gauss(0, settings["shopper_spread"]) for _ in range(source.randint(4, 12))]
        change = source.gauss(0, shop_change)
        for period in (0, 1):
            for _ in range(source.randint(8, 24)):
                shopper = source.randrange(len(shoppers))
                day = source.randrange(days) if period else -1 - source.randrange(days)
                spend = level + shoppers[shopper] + period * (season + change) + source.gauss(0, settings["visit_spread"])
                spend += effect * (period == 1 and arm == "new")
                rows.append(
                    {
                        "visit": 0,
                        "day": day,
                        "shop": f"shop-{shop:02}",
                        "shopper": 1000 * shop + shopper,
                        "layout": arm,
                        "spend": round(spend, 2),
                    }
                )
    source.shuffle(rows)
    for number, row in enumerate(rows, 1):
        row["visit"] = number
    return rows, {"effect": effect, "kind": f"{'many' if many else 'few'} shops, {'steady' if steady else 'changing'}"}
