"""One study: cheap marks favour one model, and items that they get wrong are doubted and sent to the expert more often."""

from __future__ import annotations

import random
from typing import Any


def study(source: random.Random, settings: dict[str, Any]) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    usual, share = source.choice(settings["effects"]), source.uniform(0.8, 1.2)
    # None is exactly zero: an interval from 0 to 0 must not be right.
    effect = usual * share if usual else settings["margin"] * 5 * (share - 1)
    level = source.uniform(0.5, 0.65)
    rates = {"a": level + effect / 200, "b": level - effect / 200}
    favoured = source.choice("ab")
    favour, strict = source.uniform(*settings["favour"]), source.uniform(*settings["strict"])
    size, share = source.choice(("few", "many")), source.choice(("rarely", "often"))
    sure_chance = round(source.uniform(*settings["sure_chance"][share]), 2)
    doubt_chance = round(source.uniform(*settings["doubt_chance"]), 2)
    rows: list[dict[str, Any]] = []
    for number in range(1, source.randint(*settings["items"][size]) + 1):
        expert = {name: int(source.random() < rate) for name, rate in rates.items()}
        cheap = {}
        for name, mark in expert.items():
            lenient, harsh = (favour, 0.03) if name == favoured else (0.03, strict)
            cheap[name] = int(source.random() < lenient) if mark == 0 else int(source.random() >= harsh)
        mistaken = cheap != expert
        doubt = int(source.random() < settings["doubt_wrong" if mistaken else "doubt_right"])
        chance = doubt_chance if doubt else sure_chance
        sent = source.random() < chance
        rows.append(
            {
                "item": number,
                "doubt": doubt,
                "cheap_a": cheap["a"],
                "cheap_b": cheap["b"],
                "chance": chance,
                "expert_a": expert["a"] if sent else None,
                "expert_b": expert["b"] if sent else None,
            }
        )
    return rows, {"effect": effect, "kind": f"{size}, {share}"}
