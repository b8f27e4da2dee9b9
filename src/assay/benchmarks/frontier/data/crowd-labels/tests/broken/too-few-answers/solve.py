"""Expectation maximisation over skills that change with time and over the features. Run: `python solve.py`."""

import os

os.environ["OPENBLAS_NUM_THREADS"] = "1"

import json
from pathlib import Path

import numpy as np

ROUNDS, PIECES, TIMES = 60, 2, 4


def skill_terms(odds, items, people, labels, count):
    """The log likelihood of each item's labels, with tables of each person for several parts of the time."""
    total, classes = odds.shape
    part = np.minimum(items * TIMES // total, TIMES - 1)
    tables = np.zeros((count, TIMES, classes, classes))
    np.add.at(tables, (people, part, slice(None), labels), odds[items])
    whole = tables.sum(axis=1, keepdims=True)
    common = whole.sum(axis=0, keepdims=True)
    common = common / common.sum(axis=-1, keepdims=True)
    own = (whole + 4.0 * common) / (whole.sum(axis=-1, keepdims=True) + 4.0)
    smooth = tables + 0.35 * (np.roll(tables, 1, 1) * (np.arange(TIMES) > 0)[None, :, None, None])
    smooth += 0.35 * (np.roll(tables, -1, 1) * (np.arange(TIMES) < TIMES - 1)[None, :, None, None])
    tables = (smooth + 6.0 * own) / (smooth.sum(axis=-1, keepdims=True) + 6.0)
    terms = np.zeros((total, classes))
    np.add.at(terms, items, np.log(tables[people, part, :, labels] + 1e-9))
    return terms


def feature_terms(inside, features):
    """The log density of the features under each class, a mixture of round clouds, and the parts' shares."""
    weights = inside.sum(axis=0) + 1e-9
    centres = np.einsum("nck,nd->ckd", inside, features) / weights[:, :, None]
    squares = (features**2).sum(axis=1)[:, None, None] - 2 * np.einsum("nd,ckd->nck", features, centres)
    squares = squares + (centres**2).sum(axis=-1)
    terms = -0.5 * squares + np.log(weights / weights.sum(axis=1, keepdims=True))
    top = terms.max(axis=2, keepdims=True)
    shares = np.exp(terms - top)
    total = shares.sum(axis=2, keepdims=True)
    return (top + np.log(total))[:, :, 0], shares / total


def main():
    problem = json.loads(Path("problem.json").read_text())
    features, classes = np.array(problem["features"]), problem["classes"]
    items, people, labels = np.array(problem["labels"]).T
    odds = np.full((len(features), classes), 0.3)
    np.add.at(odds, (items, labels), 1.0)
    odds /= odds.sum(axis=1, keepdims=True)
    random = np.random.default_rng(1)
    parts = random.dirichlet(np.ones(PIECES), (len(features), classes))
    for turn in range(ROUNDS):
        terms = skill_terms(odds, items, people, labels, people.max() + 1)
        if turn >= 5:
            if turn == 5:
                side = features @ random.normal(0.0, 1.0, (features.shape[1], classes))
                parts = np.stack([side > np.median(side, axis=0), side <= np.median(side, axis=0)], axis=-1) * 1.0
            density, parts = feature_terms(odds[:, :, None] * parts, features)
            terms = terms + density
        terms = terms + np.log(odds.mean(axis=0))
        odds = np.exp(terms - terms.max(axis=1, keepdims=True))
        odds /= odds.sum(axis=1, keepdims=True)
    Path("answers.json").write_text(json.dumps({"classes": odds.argmax(axis=1).tolist()}))


if __name__ == "__main__":
    main()
    answers = json.loads(Path("answers.json").read_text())
    answers = {key: rows[:-1] for key, rows in answers.items()}
    Path("answers.json").write_text(json.dumps(answers))
