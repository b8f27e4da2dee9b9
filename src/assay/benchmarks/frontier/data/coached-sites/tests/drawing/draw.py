"""One region: the sites with a low first mark are coached; coaches mark their own sites higher."""

from __future__ import annotations

import random
from typing import Any


def study(source: random.Random, settings: dict[str, Any]) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    count = source.randint(*settings["sites"])
    effect = source.choice(settings["effects"]) * source.uniform(0.8, 1.2)
    drift = source.uniform(-1, 1) * settings["drift"]
    lenient = source.uniform(*settings["lenient"])
    ability = [source.gauss(60, settings["spread"]) for _ in range(count)]
    first = [round(level + source.gauss(0, settings["noise"]), 1) for level in ability]
    cut = sorted(first)[round(count * source.uniform(0.35, 0.5))]
    rows: list[dict[str, Any]] = []
    for number in range(count):
        coached = first[number] < cut
        own = coached and source.random() < 0.5
        second = ability[number] + drift + source.gauss(0, settings["noise"]) + effect * coached + lenient * own
        rows.append(
            {
                "site": number + 1,
                "size": max(3, round(source.lognormvariate(2.7, 0.5))),
                "first": first[number],
                "coached": "yes" if coached else "no",
                "second": round(second, 1),
                "marker": "coach" if own else "external",
            }
        )
    return rows, {"effect": effect}
