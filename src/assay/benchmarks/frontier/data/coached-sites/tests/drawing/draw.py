"""One region: the sites with a low first mark are coached; coaches mark their own sites higher; small sites vary more."""

from __future__ import annotations

import math
import random
from typing import Any


def study(source: random.Random, settings: dict[str, Any]) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    many, staff = source.choice(("few", "many")), source.choice(("small", "large"))
    count = source.randint(*settings["sites"][many])
    usual, share = source.choice(settings["effects"]), source.uniform(0.8, 1.2)
    # None is exactly zero: an interval from 0 to 0 must not be right.
    effect = usual * share if usual else settings["margin"] * 1.25 * (share - 1)
    drift = source.uniform(-1, 1) * settings["drift"]
    lenient = source.uniform(*settings["lenient"])
    spread, noise = source.uniform(*settings["spread"]), source.uniform(*settings["noise"])
    people = [max(2, round(source.lognormvariate(settings["people"][staff], settings["unlike"]))) for _ in range(count)]
    noises = [noise / math.sqrt(size) for size in people]
    ability = [source.gauss(60, spread) for _ in range(count)]
    first = [round(level + source.gauss(0, error), 1) for level, error in zip(ability, noises, strict=True)]
    cut = sorted(first)[round(count * source.uniform(0.35, 0.5))]
    rows: list[dict[str, Any]] = []
    for number in range(count):
        coached = first[number] < cut
        own = coached and source.random() < 0.5
        second = ability[number] + drift + source.gauss(0, noises[number]) + effect * coached + lenient * own
        rows.append(
            {
                "site": number + 1,
                "size": people[number],
                "first": first[number],
                "coached": "yes" if coached else "no",
                "second": round(second, 1),
                "marker": "coach" if own else "external",
            }
        )
    return rows, {"effect": effect, "kind": f"{many}, {staff}"}
