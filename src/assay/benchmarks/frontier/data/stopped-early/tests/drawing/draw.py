"""One trial that was stopped as soon as it looked decided; later some of its records were lost."""

from __future__ import annotations

import random
from typing import Any

KINDS = ("nothing", "small", "medium", "large")
FEWEST_KEPT = 2
CLEAR = 1.0
"""Distance of the recorded mean from the truth up to which a trial may serve for claims."""


def study(source: random.Random, kind: str, settings: dict[str, Any]) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    effect = source.choice((-1, 1)) * source.uniform(*settings["effects"][kind])
    total = 0.0
    rows: list[dict[str, Any]] = []
    for _ in range(settings["looks"]):
        for _ in range(settings["group"]):
            old = round(source.gauss(50, settings["noise"]), 2)
            new = round(source.gauss(50 + effect, settings["noise"]), 2)
            rows.append({"pair": len(rows) + 1, "old": old, "new": new})
            total += new - old
        score = total / (settings["noise"] * (2 * len(rows)) ** 0.5)
        if abs(score) > settings["bound"]:
            break
    share = source.uniform(*settings["lost"])
    kept = sorted(range(len(rows)), key=lambda _: source.random())[: max(FEWEST_KEPT, round((1 - share) * len(rows)))]
    unclear = abs(sum(rows[place]["new"] - rows[place]["old"] for place in kept) / len(kept) - effect) > CLEAR
    for place in set(range(len(rows))) - set(kept):
        rows[place] |= {"old": None, "new": None}
    return rows, {"effect": effect, "unclear": unclear}
