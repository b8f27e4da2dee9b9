"""Draws a table with yes-or-no answers whose odds follow a law with many parts: `ASSAY_SEED=7 python draw.py`.

Writes workspace/problem.json (for solve.py) and truth/truth.json (for the score).
"""

import os

os.environ["OPENBLAS_NUM_THREADS"] = "1"

import json
from pathlib import Path

import numpy as np

ANSWERED, ASKED = 2500, 2500
SHOPS, KINDS = 30, 4
FLIPPED = 0.04


def sizes(random, low, high):
    """A weight of random size and sign."""
    return random.choice([-1.0, 1.0]) * random.uniform(low, high)


def draw_columns(random, count):
    """The columns, and the mean of the sixth column in each shop."""
    shop = random.integers(0, SHOPS, count)
    shifts = random.normal(0.0, 2.0, SHOPS)
    plain = random.normal(0.0, 1.0, (count, 7))
    columns = [
        plain[:, 0], random.uniform(0.0, 10.0, count), plain[:, 1], plain[:, 2], shop,
        shifts[shop] + plain[:, 3], random.integers(0, 2, count), random.integers(0, 2, count),
        random.integers(0, 2, count), plain[:, 4], random.integers(0, KINDS, count), plain[:, 5],
        0.8 * plain[:, 0] + 0.6 * plain[:, 6], random.random(count) < 0.18,
    ]
    return columns, shifts


def log_odds(random, columns, shifts):
    """The law: nine parts, each with weights of its own."""
    main, phase, first, second, shop, level, one, two, three, bent, kind, switched, _, absent = columns
    wave = random.uniform(0.8, 1.6), random.uniform(0.0, 2 * np.pi)
    slow = random.uniform(600.0, 1500.0), random.uniform(0.0, 2 * np.pi)
    slopes = random.normal(0.0, 1.0, KINDS)
    slopes = (slopes - slopes.mean()) / slopes.std()
    total = random.normal(0.0, 0.3) + sizes(random, 0.6, 1.0) * main
    total += sizes(random, 1.0, 1.4) * np.sin(2 * np.pi * phase / wave[0] + wave[1])
    total += sizes(random, 0.8, 1.2) * first * second
    total += random.normal(0.0, 0.8, SHOPS)[shop]
    total += sizes(random, 0.7, 1.0) * (level - shifts[shop])
    total += sizes(random, 0.8, 1.1) * (1 - 2 * ((one + two + three) % 2))
    total += np.where(absent, sizes(random, 0.6, 1.2), sizes(random, 0.9, 1.3) * (np.abs(bent) - 0.8))
    total += 0.9 * slopes[kind] * switched
    total += sizes(random, 0.8, 1.1) * np.sin(2 * np.pi * np.arange(len(main)) / slow[0] + slow[1])
    return total


def main():
    random = np.random.default_rng(int(os.environ.get("ASSAY_SEED", "7")))
    columns, shifts = draw_columns(random, ANSWERED + ASKED)
    odds = 1 / (1 + np.exp(-log_odds(random, columns, shifts)))
    odds = FLIPPED + (1 - 2 * FLIPPED) * odds
    yes = random.random(len(odds)) < odds
    asked = np.zeros(len(odds), dtype=bool)
    asked[random.permutation(len(odds))[:ASKED]] = True
    whole = (4, 6, 7, 8, 10)
    rows = []
    for number in range(len(odds)):
        row = [int(column[number]) if place in whole else round(float(column[number]), 2)
               for place, column in enumerate(columns[:-1])]
        if columns[-1][number]:
            row[9] = None
        rows.append(row)
    for folder in ("workspace", "truth"):
        Path(folder).mkdir(exist_ok=True)
    answers = [None if asked[number] else int(yes[number]) for number in range(len(odds))]
    Path("workspace/problem.json").write_text(json.dumps({"rows": rows, "answers": answers}, separators=(",", ":")))
    bits = -np.log2(np.where(yes, odds, 1 - odds))[asked]
    truth = {"yes": yes[asked].astype(int).tolist(), "judge": bits.round(5).tolist()}
    Path("truth/truth.json").write_text(json.dumps(truth, separators=(",", ":")))


if __name__ == "__main__":
    main()
