"""One study: successes at several amounts of training data, in two arms; old batches may be spoiled."""

from __future__ import annotations

import math
import random
from typing import Any

KINDS = ("full", "guessed", "capped", "narrow")
OLDEST = 9


def study(
    source: random.Random, kind: str, settings: dict[str, Any]
) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    count, first = source.randint(*settings["amounts"]), source.randint(4, 7)
    mixed = round(source.uniform(0, 1), 2)
    grader = source.choice(("program", "person"))
    slope = math.exp(source.gauss(math.log(settings["slope"]), settings["slope_spread"]))
    low, high = ends(source, kind, settings)
    shift = draw_shift(source, mixed, settings)
    middle = first + source.uniform(0.25, 0.75) * (count - 1) - shift / 2
    rows: list[dict[str, Any]] = []
    for arm in ("a", "b"):
        place = middle + shift * (arm == "b")
        for power in range(first, first + count):
            age = source.randint(0, OLDEST)
            chance = low + (high - low) / (1 + math.exp(-slope * (power - place)))
            if source.random() < settings["spoiled"] * (age / OLDEST) ** settings["aging"]:
                chance *= settings["kept"]
            trials = source.randint(*settings["trials"])
            right = successes(source, chance, trials, settings["likeness"][grader])
            rows.append({"arm": arm, "amount": 2**power, "age": age, "trials": trials, "successes": right})
    source.shuffle(rows)
    rows = [
        {"batch": number, "mixed": mixed, "grader": grader, **row} for number, row in enumerate(rows, start=1)
    ]
    return rows, {"effect": shift, "unclear": grader == "person"}


def draw_shift(source: random.Random, mixed: float, settings: dict[str, Any]) -> float:
    """The shift of the middle, in doublings of the amount."""
    if source.random() < settings["idle"]:
        return source.gauss(0, settings["idle_spread"])
    edge, arch, spread = settings["shift"]
    return source.gauss(edge + 4 * arch * mixed * (1 - mixed), spread)


def ends(source: random.Random, kind: str, settings: dict[str, Any]) -> tuple[float, float]:
    """The chance of a success with very little data, and with very much."""
    guess, top = settings["guess"], 1 - source.uniform(0, 0.04)
    low = (
        source.uniform(0, 0.04) if kind in ("full", "capped") else source.uniform(guess - 0.02, guess + 0.02)
    )
    return low, source.uniform(*settings["cap"]) if kind in ("capped", "narrow") else top


def successes(source: random.Random, chance: float, trials: int, likeness: float) -> int:
    """How many trials succeed, if trials of one batch are alike to some degree."""
    if likeness > 0:
        chance = source.betavariate(chance * (1 / likeness - 1), (1 - chance) * (1 / likeness - 1))
    return sum(source.random() < chance for _ in range(trials))
