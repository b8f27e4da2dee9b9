"""One study: some test items are training items measured again, and some test items were measured several times."""

from __future__ import annotations

import random
from typing import Any


def study(source: random.Random, settings: dict[str, Any]) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    usual, share = source.choice(settings["effects"]), source.uniform(0.8, 1.2)
    # None is exactly zero: an interval from 0 to 0 must not be right.
    effect = usual * share if usual else settings["margin"] * 1.25 * (share - 1)
    accuracy = source.uniform(*settings["accuracy"])
    gain = source.uniform(*settings["gain"])
    often = source.random() < 0.5
    shared = source.uniform(*settings["shared"])
    repeated = source.uniform(*settings["repeated_often" if often else "repeated"])
    rows: list[dict[str, Any]] = []

    def record(part: str, values: list[float], marks: tuple[int, int] | None) -> None:
        laboratory = source.choice(("north", "east", "west"))
        unit = 1000 if laboratory == "west" else 1
        row: dict[str, Any] = {"record": 0, "part": part, "source": laboratory}
        for place, value in enumerate(values, 1):
            measured = value + source.gauss(0, settings["jitter"])
            row[f"x{place}"] = round(measured * unit, 0 if unit == 1000 else 3)
        row["right_a"], row["right_b"] = marks or (None, None)
        rows.append(row)

    def item() -> list[float]:
        return [source.gauss(0, 1) for _ in range(5)]

    def mark(rate: float) -> int:
        return int(source.random() < rate)

    trained = [item() for _ in range(source.randint(*settings["train"]))]
    for values in trained:
        record("train", values, None)
    half = effect / 200
    count = source.randint(*settings["test"])
    seen = source.sample(trained, min(round(shared * count), len(trained)))
    for values in seen:
        record("test", values, (mark(accuracy + (1 - accuracy) * gain), mark(accuracy)))
    for _ in range(count - len(seen)):
        values, marks = item(), (mark(accuracy + half), mark(accuracy - half))
        again = source.randint(*settings["again"]) if source.random() < repeated else 0
        for _ in range(1 + again):
            record("test", values, marks)
    source.shuffle(rows)
    for number, row in enumerate(rows, 1):
        row["record"] = number
    return rows, {"effect": effect, "kind": "often repeated" if often else "seldom repeated"}
