"""One round: thirty variants whose true gains differ by about as much as the noise of their mean scores."""

from __future__ import annotations

import random
from typing import Any

VARIANTS = [f"v{number:02}" for number in range(1, 31)]


def study(source: random.Random, settings: dict[str, Any]) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    count = source.randint(*settings["items"])
    middle = source.uniform(*settings["gain_mean"])
    spread = source.uniform(*settings["gain_spread"])
    gains = {name: source.gauss(middle, spread) for name in VARIANTS}
    rows: list[dict[str, Any]] = []
    for number in range(1, count + 1):
        level = 5 + source.gauss(0, settings["item_spread"])
        row: dict[str, Any] = {"item": number, "baseline": round(level + source.gauss(0, settings["baseline_noise"]), 2)}
        for name in VARIANTS:
            row[name] = round(level + gains[name] + source.gauss(0, settings["noise"]), 2)
        rows.append(row)
    return rows, {"choices": gains}
