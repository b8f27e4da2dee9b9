"""The experiment made anew from the truth, and what a run says of it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from evidence import DATA, Unmet, drawn_runs, read_json, read_table

RUNS = {"default": (0, "public.csv"), "other-seed": (11, "public.csv"), "other-wines": (0, "hidden.csv")}
RUNS |= drawn_runs("public.csv")
LABELS = ("real", "permuted")
SELECTIONS = ("outside", "inside")
REPEATS = 5
FOLDS = 5
CELLS = [(labels, place, repeat) for labels in LABELS for place in SELECTIONS for repeat in range(REPEATS)]

Cell = tuple[str, str, int]


@dataclass(frozen=True)
class Predictions:
    """One repeat of one condition, by row."""

    fold: np.ndarray
    label: np.ndarray
    predicted: np.ndarray


@cache
def real_data(variation: str) -> tuple[np.ndarray, np.ndarray]:
    """Measurements and classes of the table that the run was given."""
    table = np.loadtxt(DATA / RUNS[variation][1], delimiter=",", skiprows=1)
    return table[:, :-1], table[:, -1].astype(int)


def labels_of(variation: str, kind: str, repeat: int) -> np.ndarray:
    """The labels that the condition must use."""
    labels = real_data(variation)[1]
    return labels if kind == "real" else np.random.default_rng([RUNS[variation][0], repeat, 1]).permutation(labels)


def folds_of(variation: str, repeat: int) -> np.ndarray:
    """The folds that the repeat must use."""
    generator = np.random.default_rng([RUNS[variation][0], repeat, 2])
    return generator.permutation(len(real_data(variation)[1])) % FOLDS


@cache
def features_of(variation: str, repeat: int) -> np.ndarray:
    """Measured columns, then noise."""
    measured = real_data(variation)[0]
    noise = np.random.default_rng([RUNS[variation][0], repeat, 0]).normal(size=(len(measured), 500))
    return np.hstack([measured, noise])


def best(features: np.ndarray, labels: np.ndarray) -> set[int]:
    """The 10 columns with the largest F statistic."""
    groups = [features[labels == each] for each in np.unique(labels)]
    between = sum(len(group) * (group.mean(axis=0) - features.mean(axis=0)) ** 2 for group in groups)
    within = sum(((group - group.mean(axis=0)) ** 2).sum(axis=0) for group in groups)
    return set(np.argsort(-(between / within), kind="stable")[:10].tolist())


def submitted_predictions(variation: str) -> dict[Cell, Predictions]:
    """predictions.csv by repeat and condition, each row exactly once."""
    names = (("labels", "selection"), ("repeat", "row", "fold", "label", "predicted"))
    table = read_table(variation, "predictions.csv", *names, ())
    count = len(real_data(variation)[1])
    if len(table["row"]) != count * len(CELLS):
        found = len(table["row"])
        raise Unmet(f"predictions.csv of run {variation!r} has {found} lines, expected {count * len(CELLS)}")
    cells = {}
    for kind, place, repeat in CELLS:
        here = (table["labels"] == kind) & (table["selection"] == place) & (table["repeat"] == repeat)
        order = np.argsort(table["row"][here], kind="stable")
        if not np.array_equal(table["row"][here][order], np.arange(count)):
            raise Unmet(f"run {variation!r}: {kind}, {place}, repeat {repeat} does not predict each row once")
        cells[kind, place, repeat] = Predictions(*(table[name][here][order] for name in names[1][2:]))
    return cells


def submitted_features(variation: str, place: str) -> dict[tuple[str, int, int], set[int]]:
    """features.json for one kind of selection, by labels, repeat and fold."""
    found = read_json(variation, "features.json")
    chosen = {}
    for entry in found if isinstance(found, list) else []:
        if not isinstance(entry, dict) or not isinstance(entry.get("features"), list):
            raise Unmet(f"features.json of run {variation!r} holds something else than objects with `features`")
        numbers = [entry.get("repeat"), entry.get("fold"), *entry["features"]]
        is_whole = all(type(each) in (int, float) and each % 1 == 0 for each in numbers)
        if not isinstance(entry.get("labels"), str) or not is_whole:
            raise Unmet(f"features.json of run {variation!r} has an entry whose numbers are not whole")
        if entry.get("selection") == place:
            chosen[entry["labels"], numbers[0], numbers[1]] = set(numbers[2:])
    expected = {(kind, repeat, fold) for kind in LABELS for repeat in range(REPEATS) for fold in range(FOLDS)}
    if set(chosen) != expected:
        raise Unmet(f"features.json of run {variation!r} does not hold each fold of selection {place!r}")
    return chosen
