"""Draws studies: `python draw.py SEED FOLDER` writes rows and settings of each."""

from __future__ import annotations

import csv
import json
import math
import random
import sys
from pathlib import Path

STUDIES = 3


def rows_of(source: random.Random, plain: bool) -> list[dict[str, object]]:
    """Rows in clusters of unequal size; drawn studies also have weights, gaps and a few extreme clusters."""
    covariates = source.choice((4, 5))
    slopes = [source.choice((-1, 1)) * source.uniform(0.4, 0.9) for _ in range(covariates)]
    effects = [source.gauss(0, 0.8) for _ in range(covariates)]
    rows: list[dict[str, object]] = []
    clusters = source.randint(22, 26)
    labels = source.sample(range(100, 999), clusters)
    extreme = set() if plain else set(labels[:4])
    for number, label in enumerate(labels):
        shift = source.gauss(0, 0.4)
        size = source.randint(2, 3) if label in extreme else source.choice((6, 8, 8, 10, 12, 15))
        for _ in range(size):
            x = [source.gauss(shift if column < 2 else 0.0, 1.0) for column in range(covariates)]
            x[0] = math.exp(0.5 * x[0])
            if label in extreme:
                direction = 1 if number % 2 else -1
                x = [value + 6.0 * direction * (1 if slope > 0 else -1) for value, slope in zip(x, slopes)]
            score = 1.1 * sum(slope * value for slope, value in zip(slopes, x)) - 1.2 * slopes[0]
            treated = int(source.random() < 1.0 / (1.0 + math.exp(-score)))
            base = sum(effect * value for effect, value in zip(effects, x)) + 0.5 * shift + 0.3 * x[1] ** 2
            row: dict[str, object] = {
                "cluster": label,
                "weight": 1.0
                if plain
                else round((3.0 if abs(score) < 1.0 else 0.8) * source.uniform(0.5, 2.0), 2),
                "treated": treated,
                "outcome": round(base + treated * (0.6 + 0.4 * x[0]) + source.gauss(0, 1.0), 4),
                "placebo": round(0.15 * base + source.gauss(0, 2.5), 4),
            }
            for column, value in enumerate(x):
                is_missing = not plain and column < 3 and source.random() < (0.16, 0.08, 0.05)[column]
                row[f"x{column + 1}"] = "" if is_missing else round(value, 2)
            rows.append(row)
    source.shuffle(rows)
    return rows


def settings_of(source: random.Random, number: int, plain: bool) -> dict[str, object]:
    """Settings of one study; the first bounds are those at which propensities are clipped."""
    clip = 0.02 if plain or number > 1 else source.choice((0.3, 0.35))
    trims = (0.1, 0.08, "auto") if plain else (clip, "auto", "auto")
    return {
        "seed": source.randrange(10**6),
        "folds": source.choice((2, 3)),
        "inner": source.choice((3, 4)),
        "repeats": 3 if number == 1 else 2,
        "penalties": [0.01, 0.03, 0.1, 0.3],
        "rule": (1.0 if plain else 0.2, 0.5, 1.0)[number - 1],
        "squares": source.choice((1, 2)),
        "limit": 2.5,
        "clip": clip,
        "trim": trims[number - 1],
        "normalise": number == 3,
        "replicates": 39,
        "alpha": source.choice((0.05, 0.1, 0.2)),
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
        (folder / f"{name}-settings.json").write_text(
            json.dumps(settings_of(source, number, plain), indent=2) + "\n"
        )


if __name__ == "__main__":
    write(int(sys.argv[1]), Path(sys.argv[2]))
