"""Draws items, and labels that people of unequal skill gave them: `ASSAY_SEED=7 python draw.py`.

Writes workspace/problem.json (for solve.py) and truth/truth.json (for the score).
"""

import json
import os
from pathlib import Path

import numpy as np

ITEMS, CLASSES, FEATURES, PEOPLE, LABELS = 6000, 5, 6, 80, 3
APART = 0.75
TIRED = 0.5


def skills(random):
    """The table of each person: rows are true classes, columns the labels that the person gives."""
    tables = []
    for _ in range(PEOPLE):
        right = random.beta(3.0, 2.2, CLASSES)
        wrong = random.dirichlet(np.full(CLASSES, 0.35), CLASSES)
        table = wrong * (1 - right[:, None])
        table[np.arange(CLASSES), np.arange(CLASSES)] += right
        if random.random() < 0.1:
            table = np.tile(random.dirichlet(np.full(CLASSES, 0.6)), (CLASSES, 1))
        tables.append(table)
    return np.array(tables)


def cloud_terms(features, centres):
    """The log density of each item's features under each class."""
    squares = ((features[:, None, None] - centres[None]) ** 2).sum(axis=-1)
    return np.log(np.exp(-0.5 * squares).mean(axis=2) + 1e-300)


def main():
    random = np.random.default_rng(int(os.environ.get("ASSAY_SEED", "7")))
    shares = random.dirichlet(np.full(CLASSES, 6.0))
    classes = random.choice(CLASSES, size=ITEMS, p=shares)
    centres = random.normal(0.0, APART, (CLASSES, 2, FEATURES))
    features = centres[classes, random.integers(0, 2, ITEMS)] + random.normal(0.0, 1.0, (ITEMS, FEATURES))
    tables, tired = skills(random), random.random(PEOPLE) < TIRED
    busy = random.dirichlet(np.full(PEOPLE, 1.0))
    labels, terms = [], np.log(shares) + cloud_terms(features, centres)
    for item in range(ITEMS):
        for person in random.choice(PEOPLE, size=LABELS, replace=False, p=busy):
            table = tables[person]
            if tired[person]:
                fresh = 1.0 - 0.8 * item / ITEMS
                table = fresh * table + (1 - fresh) / CLASSES
            label = int(random.choice(CLASSES, p=table[classes[item]]))
            labels.append([item, int(person), label])
            terms[item] += np.log(table[:, label] + 1e-12)
    for folder in ("workspace", "truth"):
        Path(folder).mkdir(exist_ok=True)
    problem = {"classes": CLASSES, "features": features.round(3).tolist(), "labels": labels}
    Path("workspace/problem.json").write_text(json.dumps(problem))
    truth = {"classes": classes.tolist(), "knowing": terms.argmax(axis=1).tolist()}
    Path("truth/truth.json").write_text(json.dumps(truth))


if __name__ == "__main__":
    main()
