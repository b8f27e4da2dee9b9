"""Draws small tables with yes-or-no answers that follow one law of many parts: `ASSAY_SEED=7 python draw.py`.

Writes workspace/problem.json (for solve.py) and truth/truth.json (for the score). The truth has the true
chances of the asked rows and the bits of the best known program, which is in known/. With `EXAMPLE=1` in the
environment the truth is that of an example: the answers themselves, and the bits that they need.
"""

import os

os.environ["OPENBLAS_NUM_THREADS"] = "1"

import json
import sys
from pathlib import Path

import numpy as np

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parent / "known")]
from measure import bits_of  # noqa: E402
from solve import odds_of  # noqa: E402

TABLES, ROWS, ASKED = 16, 220, 120
SHOPS, KINDS = 20, 4
WHOLE = (4, 6, 7, 8, 10)
"""The columns with whole numbers."""


def draw_columns(random, shifts):
    """The columns of one table, and where the tenth is missing."""
    shop = random.integers(0, SHOPS, ROWS)
    plain = random.normal(0.0, 1.0, (7, ROWS))
    one, two, three = random.integers(0, 2, (3, ROWS))
    columns = [plain[0], random.uniform(0.0, 10.0, ROWS), plain[1], plain[2], shop, shifts[shop] + plain[3]]
    columns += [one, two, three, plain[4], random.integers(0, KINDS, ROWS), plain[5]]
    return [*columns, 0.8 * plain[0] + 0.6 * plain[6]], random.random(ROWS) < 0.18


class Law:
    """The numbers that all tables of a problem share."""

    def __init__(self, random):
        self.shifts = random.normal(0.0, 2.0, SHOPS)
        self.sizes = random.choice([-1.0, 1.0], 6) * random.uniform(0.35, 0.8, 6)
        self.absent = random.normal(0.0, 0.7)
        self.slopes, self.shops = random.normal(0.0, 0.7, KINDS), random.normal(0.0, 0.6, SHOPS)
        self.pace, self.phase = 1 / random.uniform(0.8, 1.6), random.uniform(0.0, 2 * np.pi)
        self.slow = random.uniform(60.0, 200.0)
        self.spread = random.uniform(0.5, 0.9)

    def chances(self, columns, absent, random):
        """Of yes, for the rows of one table, which has its own strength of each part."""
        main, phase, first, second, shop, level, one, two, three, bent, kind, switched, _ = columns
        strength = np.exp(self.spread * random.normal(0.0, 1.0, 9))
        waves, odd = random.random(2) < 0.5
        weights = strength[:6] * self.sizes * [1, 1, 1, 1, 1.6 * waves, 1.3 * odd]
        turns, slow = 2 * np.pi * self.pace * phase + self.phase, 2 * np.pi * np.arange(ROWS) / self.slow
        parts = [main, first * second, level - self.shifts[shop], np.where(absent, 0.0, np.abs(bent) - 0.8)]
        total = weights @ [*parts, np.sin(turns), 1.0 - 2 * ((one + two + three) % 2)]
        total += strength[6] * self.slopes[kind] * switched + strength[7] * self.shops[shop]
        total += 0.5 * strength[8] * (random.normal(0.0, 1.0, 2) @ [np.sin(slow), np.cos(slow)])
        total += random.normal(0.0, 0.5) + self.absent * absent
        wrong = 0.5 / (1 + np.exp(2.8 - 1.2 * random.normal(0.0, 1.0)))
        return wrong + (1 - 2 * wrong) / (1 + np.exp(-total))


def draw_table(law, random):
    """One table as it is shown, with the true chances and the answers of its asked rows."""
    columns, absent = draw_columns(random, law.shifts)
    chances = law.chances(columns, absent, random)
    yes = (random.random(ROWS) < chances).astype(int)
    asked = np.zeros(ROWS, dtype=bool)
    asked[random.permutation(ROWS)[:ASKED]] = True
    shown = [
        column.tolist() if place in WHOLE else column.round(2).tolist()
        for place, column in enumerate(columns)
    ]
    shown[9] = [None if gone else value for value, gone in zip(shown[9], absent, strict=True)]
    answers = [None if hidden else answer for answer, hidden in zip(yes.tolist(), asked, strict=True)]
    table = {"rows": [list(row) for row in zip(*shown, strict=True)], "answers": answers}
    return table, chances[asked].round(6).tolist(), yes[asked].tolist()


def main():
    random = np.random.default_rng(int(os.environ.get("ASSAY_SEED", "7")))
    law = Law(random)
    tables, chances, yes = zip(*(draw_table(law, random) for _ in range(TABLES)), strict=True)
    problem = {"tables": list(tables)}
    odds, true = odds_of(problem), yes if os.environ.get("EXAMPLE") else chances
    truth = {"yes": true, "known": [round(bits_of(*pair), 6) for pair in zip(odds, true, strict=True)]}
    truth["judge"] = [round(bits_of(*pair), 6) for pair in zip(chances, true, strict=True)]
    for folder in ("workspace", "truth"):
        Path(folder).mkdir(exist_ok=True)
    Path("workspace/problem.json").write_text(json.dumps(problem, separators=(",", ":")))
    Path("truth/truth.json").write_text(json.dumps(truth, separators=(",", ":")))


if __name__ == "__main__":
    main()
