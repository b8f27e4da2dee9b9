"""Draws studies: `python draw.py SEED FOLDER` writes rows and settings of each."""

from __future__ import annotations

import csv
import json
import random
import sys
from pathlib import Path

STUDIES = 3
CLASSES = 6
DIMENSIONS = 5


def stages_of(source: random.Random, plain: bool) -> list[list[int]]:
    """The classes of each stage; in drawn studies classes come in any order and come back."""
    if plain:
        return [[0, 1], [2, 3], [4, 5]]
    order = source.sample(range(CLASSES), CLASSES)
    while order[0] < 2 or order[1] < 2:
        order = source.sample(range(CLASSES), CLASSES)
    return [order[:2], [order[0], order[2]], [order[3], order[4]], [order[1], order[3], order[5]]]


def rows_of(source: random.Random, plain: bool) -> list[dict[str, object]]:
    """Rows of all stages; in drawn studies stages and classes have unequal sizes and the values drift."""
    centres = [[source.gauss(0, 1.1) for _ in range(DIMENSIONS)] for _ in range(CLASSES)]
    rows: list[dict[str, object]] = []
    for number, labels in enumerate(stages_of(source, plain), start=1):
        drift = [0.25 * number * source.gauss(0, 1) for _ in range(DIMENSIONS)]
        for label in labels:
            sizes = {"train": 24, "valid": 12, "test": 30}
            if not plain:
                sizes = {
                    "train": source.randint(10, 34),
                    "valid": 5 * number + source.randint(0, 4),
                    "test": 30,
                }
            for part, size in sizes.items():
                for _ in range(size):
                    row: dict[str, object] = {"stage": number, "part": part, "label": label}
                    for column in range(DIMENSIONS):
                        value = centres[label][column] + drift[column] + source.gauss(0, 1)
                        row[f"x{column + 1}"] = round(3.0 * value + 5.0, 3)
                    rows.append(row)
    source.shuffle(rows)
    return rows


def settings_of(source: random.Random, plain: bool) -> dict[str, object]:
    """Settings of one study; drawn ones learn fast, so that the best epoch is not the last."""
    return {
        "seed": source.randrange(10**6),
        "width": source.choice((20, 24)),
        "epochs": 8,
        "patience": 3,
        "batch": source.choice((8, 12)),
        "rate": 0.1 if plain else source.choice((0.5, 0.6)),
        "decay": source.choice((0.02, 0.05)),
        "momentum": source.choice((0.7, 0.8)),
        "penalty": source.choice((0.01, 0.02)),
        "smoothing": source.choice((0.05, 0.1)),
        "replay": source.choice((6, 8)),
        "replay_weight": 1.0 if plain else source.choice((0.7, 1.0)),
        "distil_weight": source.choice((0.3, 0.5)),
        "distil_temperature": source.choice((1.5, 2.0)),
        "capacity": 24 if plain else source.choice((20, 21, 22)),
        "temperatures": [round(0.5 + 0.05 * step, 2) for step in range(50)],
        "bins": source.choice((8, 10)),
    }


def write(seed: int, folder: Path, plain: bool = False) -> None:
    """Write all studies of a seed."""
    folder.mkdir(parents=True, exist_ok=True)
    source = random.Random(f"studies/{seed}/{plain}")
    for number in range(1, STUDIES + 1):
        name = f"s{number}"
        rows = rows_of(source, plain)
        with (folder / f"{name}-rows.csv").open("w", newline="") as file:
            writer = csv.DictWriter(file, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)
        (folder / f"{name}-settings.json").write_text(json.dumps(settings_of(source, plain), indent=2) + "\n")


if __name__ == "__main__":
    write(int(sys.argv[1]), Path(sys.argv[2]))
