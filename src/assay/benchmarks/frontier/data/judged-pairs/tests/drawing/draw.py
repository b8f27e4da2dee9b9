"""One study: order and length move the judges, new has more of both, and the votes on a pair are one and the same."""

from __future__ import annotations

import math
import random
from typing import Any


def study(source: random.Random, settings: dict[str, Any]) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    usual, share = source.choice(settings["effects"]), source.uniform(0.8, 1.2)
    # None is exactly zero: an interval from 0 to 0 must not be right.
    effect = usual * share if usual else settings["margin"] * 5 * (share - 1)
    length_pull = source.uniform(*settings["length_pull"])
    first_pull = source.uniform(*settings["first_pull"])
    side = source.choice((-1, 1))
    longer = source.uniform(*settings["longer"]) * side
    first_share = source.uniform(*settings["first_share"])
    crowded = source.random() < 0.5
    votes = settings["many_votes" if crowded else "votes"]
    rows: list[dict[str, Any]] = []
    for pair in range(1, source.randint(*settings["pairs"]) + 1):
        old = max(0.3, source.gauss(3.0, 0.8))
        new = max(0.3, source.gauss(3.0 + longer, 0.8))
        new_first = (source.random() < first_share) == (side > 0)
        log_odds = (
            effect + length_pull * (round(new, 2) - round(old, 2)) + first_pull * (1 if new_first else -1)
        )
        wins = source.random() < 1 / (1 + math.exp(-log_odds))
        for _ in range(source.choice(votes)):
            rows.append(
                {
                    "vote": 0,
                    "pair": pair,
                    "first": "new" if new_first else "old",
                    "words_old": round(old, 2),
                    "words_new": round(new, 2),
                    "preferred": "new" if wins else "old",
                }
            )
    source.shuffle(rows)
    for number, row in enumerate(rows, 1):
        row["vote"] = number
    return rows, {"effect": effect, "kind": "many votes" if crowded else "few votes"}
