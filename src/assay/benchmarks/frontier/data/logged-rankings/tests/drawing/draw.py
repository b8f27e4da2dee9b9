"""Draws studies: `python draw.py SEED FOLDER` writes items, a log and settings of each."""

from __future__ import annotations

import csv
import json
import math
import random
import sys
from pathlib import Path

STUDIES = 2
LENGTH = 4
DAYS = 12


def items_of(source: random.Random, plain: bool) -> list[dict[str, object]]:
    """Items in three groups; in drawn studies some items are twins."""
    items: list[dict[str, object]] = []
    for number in source.sample(range(10, 99), 14):
        features = [round(source.gauss(0, 1), 2) for _ in range(3)]
        if items and not plain and source.random() < 0.45:
            features = [items[-1][f"f{column}"] for column in (1, 2, 3)]
        item: dict[str, object] = {"item": number, "group": source.choice((1, 2, 3))}
        items.append({**item, **{f"f{column + 1}": value for column, value in enumerate(features)}})
    source.shuffle(items)
    return items


def slate_of(
    source: random.Random, pool: list[int], weights: dict[int, float], length: int
) -> tuple[list, list]:
    """Items chosen one after the other, and the chance of each."""
    left, slate, chances = list(pool), [], []
    for _ in range(length):
        total = sum(weights[item] for item in left)
        item = source.choices(left, [weights[item] for item in left])[0]
        slate.append(item)
        chances.append(round(weights[item] / total, 6))
        left.remove(item)
    return slate, chances


def log_of(source: random.Random, items: list[dict[str, object]], plain: bool) -> list[dict[str, object]]:
    """Sessions of all days; drawn logs have repeated lines, unrecorded clicks and short slates."""
    known = {int(str(item["item"])): item for item in items}
    appeal = {number: source.uniform(0.1, 0.75) for number in known}
    looks = [1.0, 0.75, 0.8, 0.5]
    numbers = source.sample(range(1000, 9999), DAYS * 9)
    rows: list[dict[str, object]] = []
    for place, number in enumerate(numbers):
        size = 6 if plain else source.choice((3, 6, 6, 7))
        pool = source.sample(sorted(known), size)
        if plain:
            pool.sort()
        context = [round(source.gauss(0, 1), 1) for _ in range(2)]
        weights = {
            item: math.exp(
                0.5 * float(str(known[item]["f1"])) + 0.4 * context[0] * float(str(known[item]["f2"]))
            )
            for item in pool
        }
        slate, chances = slate_of(source, pool, weights, min(LENGTH, size))
        clicks = [int(source.random() < looks[rank] * appeal[item]) for rank, item in enumerate(slate)]
        user = source.randint(1, 25)
        is_silent = not plain and (source.random() < 0.15 or user > 22)
        row: dict[str, object] = {
            "session": number,
            "user": user,
            "day": place % DAYS + 1,
            "c1": context[0],
            "c2": context[1],
            "pool": " ".join(map(str, pool)),
            "slate": " ".join(map(str, slate)),
            "chances": " ".join(map(str, chances)),
            "clicks": "" if is_silent else " ".join(map(str, clicks)),
        }
        rows.append(row)
        if not plain and not is_silent and source.random() < 0.08:
            rows.append({**row, "clicks": " ".join(str(1 - click) for click in clicks)})
    source.shuffle(rows)
    return rows


def settings_of(source: random.Random) -> dict[str, object]:
    """Settings of one study, with two policies; the second does not look at popularity."""
    policies = [
        {
            "weights": [round(source.gauss(0, 0.5), 2) for _ in range(5)] + [weight],
            "temperature": source.choice((0.8, 1.0, 1.5)),
            "mix": source.choice((0.1, 0.2)),
        }
        for weight in (round(source.uniform(0.3, 0.8), 2), 0.0)
    ]
    return {
        "seed": source.randrange(10**6),
        "length": LENGTH,
        "cut": 7,
        "window": source.choice((3, 4)),
        "prior": source.choice((2.0, 3.0)),
        "least": 0.1,
        "penalty": source.choice((0.01, 0.03)),
        "cap": source.choice((2.0, 3.0)),
        "threshold": source.choice((1.2, 1.5)),
        "alpha": source.choice((0.05, 0.1)),
        "replicates": 59,
        "policies": policies,
    }


def write_rows(path: Path, rows: list[dict[str, object]]) -> None:
    """Write one CSV file."""
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def write(seed: int, folder: Path, plain: bool = False) -> None:
    """Write all studies of a seed."""
    folder.mkdir(parents=True, exist_ok=True)
    source = random.Random(f"studies/{seed}/{plain}")
    for number in range(1, STUDIES + 1):
        name = f"s{number}"
        items = items_of(source, plain)
        write_rows(folder / f"{name}-items.csv", items)
        write_rows(folder / f"{name}-log.csv", log_of(source, items, plain))
        (folder / f"{name}-settings.json").write_text(json.dumps(settings_of(source), indent=2) + "\n")


if __name__ == "__main__":
    write(int(sys.argv[1]), Path(sys.argv[2]))
