"""Draws cases: `python draw.py SEED FOLDER [COUNT]` writes one CSV file for each case."""

from __future__ import annotations

import csv
import random
import sys
from pathlib import Path

COUNT = 40
COLUMNS = ("score", "label", "guess", "truth", "relevance", "weight", "group", "value")


def draw_case(source: random.Random) -> list[list[object]]:
    """The rows of one case: tied scores, scores on the edges of bins, rare classes, empty weights, groups of all sizes."""
    count = source.choice((9, 17, 30, 45, 60))
    step = source.choice((0.05, 0.1, 0.01))
    classes = source.sample("abcdef", source.randint(3, 5))
    levels = {f"g{number}": source.gauss(0, 2) for number in range(source.randint(3, 8))}
    rows: list[list[object]] = []
    for number in range(count):
        label = int(source.random() < 0.45) if number > 1 else number
        score = min(max(round(source.gauss(0.35 + 0.3 * label, 0.25) / step) * step, 0.0), 1.0)
        truth = source.choice(classes[:-1])
        guess = truth if source.random() < 0.6 else source.choice(classes)
        relevance = source.choices((0, 1, 2, 3), (6, 3 + 2 * label, 1 + 2 * label, 1))[0] if number else 2
        weight = "" if source.random() < 0.3 else source.choice((0.5, 1.5, 2, 3))
        group = source.choice(list(levels))
        value = round(levels[group] + source.gauss(10, 1.5) + 6 * (source.random() < 0.08), 3)
        rows.append([round(score, 2), label, guess, truth, relevance, weight, group, value])
    return rows


def main(seed: int, folder: Path, count: int = COUNT) -> None:
    """Write the cases of one batch."""
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(1, count + 1):
        with (folder / f"case-{number:02}.csv").open("w", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(COLUMNS)
            writer.writerows(draw_case(random.Random(f"{seed}/{number}")))


if __name__ == "__main__":
    main(int(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else COUNT)
