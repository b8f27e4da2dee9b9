"""Draws studies: `python draw.py SEED FOLDER` writes series and settings of each."""

from __future__ import annotations

import csv
import json
import random
import sys
from pathlib import Path

STUDIES = 2


def series_of(source: random.Random, plain: bool) -> list[dict[str, object]]:
    """Series with three regimes; drawn studies also have gaps in time and missing values."""
    centres = [[-3.0, 1.0], [0.0, -2.0], [3.0, 1.5]]
    centres = [[value + source.gauss(0, 0.4) for value in centre] for centre in centres]
    stay = source.uniform(0.78, 0.88)
    labels = (
        source.sample(range(10, 40), 6)
        if plain
        else source.sample(range(4, 10), 3) + source.sample(range(10, 40), 3)
    )
    rows: list[dict[str, object]] = []
    for label in labels:
        state, time = source.randrange(3), source.randint(0, 5)
        for _ in range(source.randint(20, 26)):
            row: dict[str, object] = {"series": label, "time": time}
            empty = not plain and source.random() < 0.07
            for dimension in range(2):
                value = 10.0 * (dimension + 1) + (2.0 + dimension) * (
                    centres[state][dimension] + source.gauss(0, 1.1)
                )
                missing = empty or (not plain and source.random() < 0.12)
                row[f"y{dimension + 1}"] = "" if missing else round(value, 3)
            rows.append(row)
            gap = 1 if plain or source.random() < 0.8 else source.randint(2, 4)
            time += gap
            for _ in range(gap):
                if source.random() > stay:
                    state = (state + source.randint(1, 2)) % 3
    source.shuffle(rows)
    return rows


def settings_of(source: random.Random, number: int, plain: bool) -> dict[str, object]:
    """Settings of one study; plain ones have no tempering and two starts."""
    return {
        "seed": source.randrange(10**6),
        "states": [2, 3],
        "held": 2,
        "stay": source.choice((0.7, 0.8)),
        "starts": 2 if plain else 3,
        "jitter": 0.5,
        "temper": 1.0 if plain else source.choice((0.3, 0.4)),
        "step": 0.1,
        "iterations": 20 if plain else source.choice((5, 6)),
        "tolerance": 0.01,
        "pseudo": 0.5,
        "sticky": source.choice((1.0, 2.0)),
        "strength": source.choice((1.0, 2.0)),
        "spread": 1.0,
        "floor": 0.05 if plain else source.choice((0.35, 0.4)),
        "criterion": "information" if number == 1 else "held",
        "lag": source.choice((2, 3)),
        "horizon": source.choice((2, 3)),
        "burn": source.choice((4, 6)),
    }


def write(seed: int, folder: Path, plain: bool = False) -> None:
    """Write all studies of a seed."""
    folder.mkdir(parents=True, exist_ok=True)
    source = random.Random(f"studies/{seed}/{plain}")
    for number in range(1, STUDIES + 1):
        name = f"s{number}"
        rows = series_of(source, plain)
        with (folder / f"{name}-series.csv").open("w", newline="") as file:
            writer = csv.DictWriter(file, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)
        (folder / f"{name}-settings.json").write_text(
            json.dumps(settings_of(source, number, plain), indent=2) + "\n"
        )


if __name__ == "__main__":
    write(int(sys.argv[1]), Path(sys.argv[2]))
