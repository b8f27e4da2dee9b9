"""Draws small tables of several families, with the true chance of each label: `ASSAY_SEED=7 python draw.py`.

Writes workspace/problem.json (for solve.py) and truth/truth.json (for the score). The truth also has the chances of the
best known program, which is in known/.
"""

import os

os.environ["OPENBLAS_NUM_THREADS"] = "1"

import json
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent / "known"))
from solve import chances_of  # noqa: E402

TABLES, ASKED = 48, 80
STRENGTH = (1.2, 3.0)
WRONG = (0.1, 0.25)
HOLES = (0.0, 0.05, 0.2)
FAMILIES = ("additive", "interactions", "thresholds", "noise", "irrelevant", "groups", "monotone", "centres")
CURVES = (
    lambda x, a: x,
    lambda x, a: np.abs(x - a) - 1.0,
    lambda x, a: np.sin(1.6 * x + 3 * a),
    lambda x, a: np.tanh(3 * (x - a)),
    lambda x, a: np.exp(-2 * (x - a) ** 2) - 0.4,
    lambda x, a: (x - a) ** 2 / 2 - 0.5,
)
RISING = (
    lambda x, a: x,
    lambda x, a: np.tanh(3 * (x - a)),
    lambda x, a: np.exp(0.9 * x) / 2,
    lambda x, a: np.maximum(x - a, 0.0),
    lambda x, a: (x > a) * 1.0,
)


def draw_inputs(rows, family, random):
    """Columns as the law sees them (standard normal, or codes), and whether each is a category."""
    width = int(random.integers(10, 16) if family == "irrelevant" else random.integers(4, 13))
    share = random.choice([0.0, 0.25, 0.5])
    category = random.random(width) < share
    category[:2] = False
    common = random.normal(0.0, 1.0, (rows, 2)) @ random.normal(0.0, 1.0, (2, width))
    weight = random.choice([0.0, 0.4, 0.8])
    inputs = weight * common + random.normal(0.0, 1.0, (rows, width))
    inputs /= np.sqrt(1 + 2 * weight**2)
    for column in np.flatnonzero(category):
        levels = int(random.integers(2, 7))
        cuts = np.quantile(inputs[:, column], np.sort(random.uniform(0.1, 0.9, levels - 1)))
        inputs[:, column] = random.permutation(levels)[np.searchsorted(cuts, inputs[:, column])]
    if family == "groups":
        category[-1] = True
        levels = int(random.integers(8, 25))
        inputs[:, -1] = random.choice(levels, rows, p=random.dirichlet(np.full(levels, 3.0)))
    return inputs, category


def part(values, is_category, random, curves):
    """What one column adds to the law, with deviation one."""
    if is_category:
        found = random.normal(0.0, 1.0, int(values.max()) + 1)[values.astype(int)]
    else:
        sign = 1.0 if curves is RISING else random.choice([-1.0, 1.0])
        found = sign * curves[random.integers(len(curves))](values, random.normal(0.0, 0.6))
    return (found - found.mean()) / max(found.std(), 0.2)


def additive(inputs, category, random, share=0.6, curves=CURVES):
    """A sum of curves of some columns, each with its own weight."""
    used = random.permutation(inputs.shape[1])[: max(2, round(share * inputs.shape[1]))]
    return sum(random.gamma(2.0, 0.5) * part(inputs[:, c], category[c], random, curves) for c in used)


def interactions(inputs, category, random):
    """A few parts of single columns and more products of two."""
    total = 0.6 * additive(inputs, category, random, 0.3)
    for _ in range(random.integers(2, 4)):
        one, two = random.permutation(inputs.shape[1])[:2]
        parts = [part(inputs[:, c], category[c], random, CURVES[:4]) for c in (one, two)]
        if random.random() < 0.3:
            parts = [np.sign(value) for value in parts]
        total = total + random.gamma(2.0, 0.7) * parts[0] * parts[1]
    return total


def thresholds(inputs, category, random):
    """The sum of some small trees."""
    total = np.zeros(len(inputs))
    columns = random.permutation(inputs.shape[1])[: random.integers(3, 7)]

    def split(rows, depth):
        if depth == 0 or len(rows) < 10:
            total[rows] += random.normal(0.0, 1.0)
            return
        column = random.choice(columns)
        values = inputs[rows, column]
        if category[column]:
            left = np.isin(values, np.flatnonzero(random.random(int(values.max()) + 1) < 0.5))
        else:
            left = values < np.quantile(values, random.uniform(0.15, 0.85))
        split(rows[left], depth - 1)
        split(rows[~left], depth - 1)

    for _ in range(random.integers(1, 5)):
        split(np.arange(len(inputs)), int(random.integers(2, 4)))
    return total


def centres(inputs, category, random):
    """Which of some centres is near, in a few columns."""
    columns = np.flatnonzero(~category)[: random.integers(2, 5)]
    points = random.normal(0.0, 1.0, (random.integers(4, 9), len(columns)))
    near = np.exp(-((inputs[:, None, columns] - points) ** 2).sum(axis=2) / random.uniform(0.5, 1.5) / len(columns))
    return (near / (near.sum(axis=1, keepdims=True) + 1e-9)) @ random.choice([-1.0, 1.0], len(points))


def law(family, inputs, category, random):
    """The chance that the label is yes."""
    if family == "interactions":
        total = interactions(inputs, category, random)
    elif family == "thresholds":
        total = thresholds(inputs, category, random)
    elif family == "centres":
        total = centres(inputs, category, random)
    elif family == "irrelevant":
        total = additive(inputs, category, random, 0.15)
    elif family == "monotone":
        total = additive(inputs, category, random, 0.8, RISING)
    else:
        total = additive(inputs, category, random)
    if family == "groups":
        levels = int(inputs[:, -1].max()) + 1
        total = total / max(total.std(), 1e-9) + 1.3 * random.normal(0.0, 1.0, levels)[inputs[:, -1].astype(int)]
    total = (total - total.mean()) / max(total.std(), 1e-9) * random.uniform(*STRENGTH) + random.normal(0.0, 0.7)
    if family == "noise":
        wrong = random.uniform(*WRONG)
        return wrong + (1 - 2 * wrong) / (1 + np.exp(-total))
    return 1 / (1 + np.exp(-total))


def shown(inputs, category, random):
    """The columns as they are written: each number on its own scale, some values missing."""
    columns = []
    for column, is_category in enumerate(category):
        values = inputs[:, column]
        if is_category:
            written = [f"{'abcdefghijklmnopqrstuvwxyz'[int(value)]}" for value in values]
        else:
            scale, middle = 10.0 ** random.integers(-1, 3), random.normal(0.0, 3.0)
            kind = random.integers(4)
            bent = (values, np.exp(values), np.sign(values) * np.abs(values) ** 2.5, np.round(2 * values))[kind]
            written = (bent * scale + middle * (kind == 0)).round(3).tolist()
        columns.append(written)
    missing = np.zeros(inputs.shape, dtype=bool)
    if random.random() < 0.6:
        rate = random.choice(HOLES, inputs.shape[1])
        missing = random.random(inputs.shape) < rate
        if random.random() < 0.5:
            missing &= (inputs > np.median(inputs, axis=0)) | (random.random(inputs.shape) < 0.3)
    return [
        [None if missing[row, c] else columns[c][row] for c in range(len(category))] for row in range(len(inputs))
    ]


def draw_table(family, random):
    """One table and the true chances of its asked rows."""
    known = int(np.exp(random.uniform(np.log(60), np.log(180))))
    while True:
        inputs, category = draw_inputs(known + ASKED, family, random)
        true = law(family, inputs, category, random)
        labels = (random.random(len(true)) < true).astype(int)
        if 10 <= labels[:known].sum() <= known - 10 and 0.1 < true.mean() < 0.9:
            break
    rows, order = shown(inputs, category, random), random.permutation(len(category))
    rows = [[row[c] for c in order] for row in rows]
    table = {
        "kinds": ["category" if category[c] else "number" for c in order],
        "known": rows[:known],
        "labels": labels[:known].tolist(),
        "asked": rows[known:],
    }
    return table, true[known:].round(5).tolist()


def main():
    random = np.random.default_rng(int(os.environ.get("ASSAY_SEED", "7")))
    families = random.permutation([FAMILIES[number % len(FAMILIES)] for number in range(TABLES)])
    drawn = [draw_table(family, random) for family in families]
    compared = [chances_of(table).round(5).tolist() for table, _ in drawn]
    truth = [{"chances": true, "comparison": found} for (_, true), found in zip(drawn, compared, strict=True)]
    for folder in ("workspace", "truth"):
        Path(folder).mkdir(exist_ok=True)
    Path("workspace/problem.json").write_text(json.dumps({"tables": [t for t, _ in drawn]}, separators=(",", ":")))
    Path("truth/truth.json").write_text(json.dumps({"tables": truth}, separators=(",", ":")))


if __name__ == "__main__":
    main()
