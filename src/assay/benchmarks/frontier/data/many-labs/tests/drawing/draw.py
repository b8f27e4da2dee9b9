"""One lab: a clean trial, or one with one or two of the problems that its kind names."""

from __future__ import annotations

import math
import random
from typing import Any

KINDS = (
    "clean", "codes+copied", "rooms", "rooms+ceiling", "chosen+half", "days",
    "days+ceiling", "crossover", "crossover+codes", "chosen", "split", "half+rooms",
)
CODE = -9.0


def study(source: random.Random, kind: str, settings: dict[str, Any]) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    problems = set(kind.split("+"))
    usual, share = source.choice(settings["effects"]), source.uniform(0.8, 1.2)
    # None is exactly zero: an interval from 0 to 0 must not be right.
    effect = usual * share if usual else settings["margin"] * 1.25 * (share - 1)
    rooms = 2 if "split" in problems else source.randint(*settings["rooms"])
    levels = [source.gauss(0, settings["room_spread"]) for _ in range(rooms)]
    later_levels = [level + source.gauss(0, settings["room_change"]) for level in levels]
    shown = _day_shifts(source, "days" in problems, settings)
    room_arms = [number % 2 for number in range(rooms)]
    source.shuffle(room_arms)
    rows: list[dict[str, Any]] = []
    for unit in range(source.randint(*settings["units"])):
        room, own = source.randrange(rooms), source.gauss(0, settings["noise"])
        before = 50 + levels[room] + source.gauss(0, settings["spread"])
        expected = 50 + later_levels[room] + settings["slope"] * (before - 50 - levels[room])
        days = source.sample(range(settings["days"]), 2 if "crossover" in problems else 1)
        arms = source.sample((0, 1), 2)
        for day, drawn in zip(days, arms, strict=False):
            arm = _arm(source, problems, drawn, room_arms[room], before, day / (settings["days"] - 1))
            noise = 0.8 * own + source.gauss(0, 0.6 * settings["noise"])
            after = expected + effect * arm + shown[day] + noise
            rows.append({"unit": unit, "room": room, "day": day, "arm": arm, "before": before, "after": after})
    rows = _recorded(source, rows, problems, rooms, settings)
    return rows, {"undecidable": True} if "split" in problems else {"effect": effect}


def _day_shifts(source: random.Random, present: bool, settings: dict[str, Any]) -> list[float]:
    """What the instrument shows too much on each day: a slope or a step."""
    size = source.choice((-1, 1)) * source.uniform(*settings["shift"]) * present
    days = settings["days"]
    if source.random() < 0.5:
        return [size * day / (days - 1) for day in range(days)]
    start = source.randint(2, days - 2)
    return [size * (day >= start) for day in range(days)]


def _arm(source: random.Random, problems: set[str], drawn: int, room_arm: int, before: float, late: float) -> int:
    if "crossover" in problems:
        return drawn
    if problems & {"rooms", "split"}:
        return room_arm
    if "chosen" in problems:
        return int(source.random() < 1 / (1 + math.exp((before - 50) / 5)))
    if "days" in problems:
        return int(source.random() < 0.12 + 0.76 * late)
    return int(source.random() < 0.5)


def _recorded(
    source: random.Random, rows: list[dict[str, Any]], problems: set[str], rooms: int, settings: dict[str, Any]
) -> list[dict[str, Any]]:
    """The lines of the file: what the lab's instruments and clerks made of it."""
    top = sorted(row["after"] for row in rows)[int(len(rows) * source.uniform(*settings["below_top"]))]
    halved = source.sample(range(rooms), rooms // 2 - 1) if "half" in problems else []
    columns = ("before", "after") if "rooms" in problems else source.choice((("before", "after"), ("after",)))
    for row in rows:
        if "ceiling" in problems:
            row["after"] = min(row["after"], round(top))
        if row["room"] in halved:
            row |= {column: row[column] / 2 for column in columns}
        if "codes" in problems and source.random() < 0.08:
            row["after"] = CODE
    if "copied" in problems:
        for row in source.sample(rows, len(rows) // 10):
            for _ in range(source.randint(8, 14)):
                rough = {column: row[column] + source.uniform(-0.04, 0.04) for column in ("before", "after")}
                rows.append({**row, **rough, "unit": len(rows)})
    source.shuffle(rows)
    names = {unit: number for number, unit in enumerate(dict.fromkeys(row["unit"] for row in rows), start=1)}
    return [
        {
            "line": number,
            "unit": names[row["unit"]],
            "room": f"r{row['room'] + 1}",
            "day": row["day"] + 1,
            "arm": "ab"[row["arm"]],
            "before": round(row["before"], 2),
            "after": round(row["after"], 2),
        }
        for number, row in enumerate(rows, start=1)
    ]
