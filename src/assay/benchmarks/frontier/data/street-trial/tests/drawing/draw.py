"""One street: houses in a row, treated by lot in runs; a treated house also changes what its neighbours see."""

from __future__ import annotations

import random
from typing import Any

KINDS = ("alone", "next-door", "three-doors", "opposite")


def study(source: random.Random, kind: str, settings: dict[str, Any]) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    houses = source.randint(*settings["houses"])
    direct, spill = source.gauss(0, settings["direct"]), source.gauss(0, settings["spill"])
    level, memory = source.gauss(50, settings["level"]), source.uniform(*settings["memory"])
    reach = {"alone": [], "next-door": [spill], "three-doors": [spill * 0.7, spill * 0.5, spill * 0.3]}
    shares = reach.get(kind, [-direct * 0.25, -direct * 0.1])
    treated: list[int] = []
    while len(treated) < houses:
        treated += [source.randrange(2)] * source.randint(1, settings["longest_run"])
    treated = treated[:houses]
    error, rows = source.gauss(0, settings["noise"]), []
    for house in range(houses):
        near = sum(
            share * treated[place]
            for distance, share in enumerate(shares, start=1)
            for place in (house - distance, house + distance)
            if 0 <= place < houses
        )
        value = level + direct * treated[house] + near + error
        rows.append({"house": house + 1, "treated": "yes" if treated[house] else "no", "value": round(value, 3)})
        error = memory * error + source.gauss(0, settings["noise"] * (1 - memory**2) ** 0.5)
    return rows, {"effect": direct + 2 * sum(shares)}
