"""One round: thirty variants whose true gains differ by a tenth to three times the noise of their mean scores."""

from __future__ import annotations

import random
from typing import Any

VARIANTS = [f"v{number:02}" for number in range(1, 31)]
BASELINE_RUNS = 7


def study(source: random.Random, settings: dict[str, Any]) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    many, apart = source.random() < 0.5, source.random() < 0.5
    count = source.randint(*settings["many_items" if many else "items"])
    noise = source.uniform(*settings["noise"])
    middle = source.uniform(*settings["gain_mean"])
    # In units of the noise of a mean score, so that both kinds need as much shrinking with many items as with few.
    spread = source.uniform(*settings["spread_apart" if apart else "spread"]) * noise / count**0.5
    gains = {name: source.gauss(middle, spread) for name in VARIANTS}
    rows: list[dict[str, Any]] = []
    for number in range(1, count + 1):
        level = 5 + source.gauss(0, settings["item_spread"])
        row: dict[str, Any] = {"item": number, "baseline": round(level + source.gauss(0, noise / BASELINE_RUNS**0.5), 2)}
        for name in VARIANTS:
            row[name] = round(level + gains[name] + source.gauss(0, noise), 2)
        rows.append(row)
    return rows, {"choices": gains, "kind": f"{'many' if many else 'few'} items, {'apart' if apart else 'alike'}"}
