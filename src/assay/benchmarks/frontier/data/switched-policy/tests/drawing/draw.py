"""One service: its load follows the policy slowly, has a daily cycle, and noise that remembers."""

from __future__ import annotations

import math
import random
from typing import Any


def study(source: random.Random, settings: dict[str, Any]) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    turns = 2 * (source.randint(*settings["turns"]) // 2)
    length = source.randint(*settings["length"])
    usual, share = source.choice(settings["effects"]), source.uniform(0.8, 1.2)
    # None is exactly zero: an interval from 0 to 0 must not be right.
    effect = usual * share if usual else settings["margin"] * 5 * (share - 1)
    memory = source.uniform(*settings["memory"])
    slow = source.random() < 0.5
    noise_memory = source.uniform(*settings["slow_noise_memory" if slow else "noise_memory"])
    phase = source.uniform(0, 2 * math.pi)
    pairs = [source.choice((("base", "tuned"), ("tuned", "base"))) for _ in range(turns // 2)]
    policies = [name for pair in pairs for name in pair]
    followed = 0.0 if policies[0] == "base" else effect
    noise = source.gauss(0, settings["noise"] / math.sqrt(1 - noise_memory**2))
    rows: list[dict[str, Any]] = []
    for tick in range(turns * length):
        turn = tick // length
        followed = memory * followed + (1 - memory) * effect * (policies[turn] == "tuned")
        noise = noise_memory * noise + source.gauss(0, settings["noise"])
        cycle = settings["cycle"] * math.sin(2 * math.pi * tick / 24 + phase)
        rows.append(
            {
                "tick": tick,
                "hour": tick % 24,
                "turn": turn + 1,
                "policy": policies[turn],
                "load": round(30 + cycle + followed + noise, 2),
            }
        )
    return rows, {"effect": effect, "kind": "slow noise" if slow else "fast noise"}
