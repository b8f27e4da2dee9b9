"""One school: pupils below a score of 0 get help; the result depends on the score along a curve that bends."""

from __future__ import annotations

import math
import random
from typing import Any

KINDS = ("straight", "arched", "wavy", "edged")


def study(source: random.Random, kind: str, settings: dict[str, Any]) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    usual, share = source.choice(settings["effects"]), source.uniform(0.8, 1.2)
    # None is exactly zero: an interval from 0 to 0 must not be right.
    effect = usual * share if usual else settings["margin"] * 1.25 * (share - 1)
    bend, slope, level = settings["bend"] * source.choice((-1, 1)), source.gauss(0, 3), source.uniform(40, 60)
    noise, pace, phase = source.uniform(*settings["noise"]), source.uniform(5, 11), source.uniform(0, 2 * math.pi)
    edge = source.uniform(0.1, 0.3)
    rows: list[dict[str, Any]] = []
    for number in range(1, source.randint(*settings["size"]) + 1):
        score = source.uniform(-1, 1)
        far, curve = abs(score), 0.0
        if kind == "arched":
            curve = bend / 2 * far**2
        elif kind == "wavy":
            curve = bend / pace**2 * (math.sin(pace * far + phase) - math.sin(phase))
        elif kind == "edged":
            curve = bend * (far**2 / 2 if far < edge else edge * far - edge**2 / 2)
        curve = math.copysign(curve, curve * score)
        value = level + slope * score + curve + effect * (score < 0) + source.gauss(0, noise)
        rows.append({"pupil": number, "score": round(score, 4), "result": round(value, 3)})
    return rows, {"effect": effect}
