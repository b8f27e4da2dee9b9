"""One study: users who took part, in two arms, and a sample of the people that the answer is about."""

from __future__ import annotations

import math
import random
from typing import Any

KINDS = ("any", "keen", "shy", "gated")
STEPS = 400


def study(
    source: random.Random, kind: str, settings: dict[str, Any]
) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    centre = {name: source.gauss(0, settings["centres"]) for name in ("skill", "use")}
    spread = {name: source.uniform(0.8, 1.2) for name in ("skill", "use")}
    strength = round(source.uniform(0, 1), 2)
    low, high = ends(source, strength, settings)
    level, noise = source.uniform(20, 40), settings["noise"] * math.exp(source.gauss(0, 0.3))
    slopes = [source.gauss(*law) for law in settings["slopes"]]
    gate = centre["skill"] + source.uniform(0, 0.6) * spread["skill"]
    rows: list[dict[str, Any]] = []
    for _ in range(source.randint(*settings["size"])):
        person = draw_person(source, centre, spread)
        while source.random() > chance(kind, person, centre, gate, settings):
            person = draw_person(source, centre, spread)
        skill, use = person["skill"], person["use"]
        sessions = max(1, round(math.exp(source.gauss(1.4 + 0.4 * use, 1.2))))
        arm = source.choice("ab")
        value = level + slopes[0] * skill + slopes[1] * use + slopes[2] * skill**2
        if arm == "b":
            value += low + (high - low) * step(index(skill, use, settings), settings)
        value += source.gauss(0, noise * math.sqrt(settings["floor"] + 1 / sessions))
        rows.append({"group": "user", **person, "arm": arm, "sessions": sessions, "outcome": round(value, 3)})
    for _ in range(source.randint(*settings["listed"])):
        person = draw_person(source, centre, spread)
        rows.append({"group": "target", **person, "arm": None, "sessions": None, "outcome": None})
    rows = [{"line": number, "strength": strength, **row} for number, row in enumerate(rows, start=1)]
    share = mean_step(centre, spread, settings)
    return rows, {"effect": low + (high - low) * share}


def ends(source: random.Random, strength: float, settings: dict[str, Any]) -> tuple[float, float]:
    """The effect on people far below the step, and far above it."""
    if source.random() < settings["idle"]:
        return source.gauss(0, settings["idle_spread"]), source.gauss(0, settings["idle_spread"])
    low = source.gauss(*settings["low"])
    first, second, third = settings["high"]
    return low, source.gauss(first + second * strength**2, third)


def draw_person(
    source: random.Random, centre: dict[str, float], spread: dict[str, float]
) -> dict[str, float]:
    return {name: round(source.gauss(centre[name], spread[name]), 3) for name in centre}


def index(skill: float, use: float, settings: dict[str, Any]) -> float:
    return float(skill + settings["turn"] * use)


def step(place: float, settings: dict[str, Any]) -> float:
    """How far a person is above the step, from 0 to 1."""
    return 0.5 + 0.5 * math.tanh((place - settings["cut"]) / settings["width"] / 2)


def chance(
    kind: str, person: dict[str, float], centre: dict[str, float], gate: float, settings: dict[str, Any]
) -> float:
    """How likely it is that a person takes part."""
    skill, use = person["skill"] - centre["skill"], person["use"] - centre["use"]
    if kind == "gated":
        return float(person["skill"] > gate) * (0.2 + 0.6 / (1 + math.exp(-use)))
    steep = {"any": 0.0, "keen": 1.0, "shy": -1.0}[kind] * settings["steep"]
    return 1 / (1 + math.exp(1 - steep * (skill + 0.6 * use)))


def mean_step(centre: dict[str, float], spread: dict[str, float], settings: dict[str, Any]) -> float:
    """The mean of the step over the people of the target."""
    middle = index(centre["skill"], centre["use"], settings)
    width = math.hypot(spread["skill"], settings["turn"] * spread["use"])
    places = [-6 + 12 * number / STEPS for number in range(STEPS + 1)]
    weights = [math.exp(-(place**2) / 2) for place in places]
    steps = [step(middle + width * place, settings) for place in places]
    return sum(w * s for w, s in zip(weights, steps, strict=True)) / sum(weights)
