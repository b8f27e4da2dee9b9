"""The models made anew from the truth, and what a run says of them."""

from __future__ import annotations

from functools import cache

import numpy as np
from evidence import DATA, Unmet, drawn_runs, read_table

RUNS = {"default": (0, "public.csv"), "other-seed": (3, "public.csv"), "other-masses": (0, "hidden.csv")}
RUNS |= drawn_runs("public.csv")
CONDITIONS = ("none", "training", "validation")
REPEATS = 5
TEMPERATURES = np.geomspace(0.1, 10.0, 201)
LARGEST = 1e6
REPEATS_LOOKED_AT = (0, 3)
"""Those whose models are made anew; the results of all repeats are compared with gold."""

Cell = tuple[str, int]


@cache
def table_of(variation: str) -> tuple[np.ndarray, np.ndarray]:
    """Measurements and classes of the table that the run was given."""
    table = np.loadtxt(DATA / RUNS[variation][1], delimiter=",", skiprows=1)
    return table[:, :-1], table[:, -1].astype(int)


def rows_of(variation: str, repeat: int) -> dict[str, np.ndarray]:
    """Training, validation and test rows."""
    count = len(table_of(variation)[1])
    order = np.random.default_rng([RUNS[variation][0], repeat]).permutation(count)
    middle = 60 + (count - 60) // 2
    return {"training": order[:60], "validation": order[60:middle], "test": order[middle:]}


@cache
def odds_of(variation: str, repeat: int) -> np.ndarray:
    """Log-odds of every row, by the model trained on the training rows alone."""
    features, labels = table_of(variation)
    rows = rows_of(variation, repeat)["training"]
    standard = (features - features[rows].mean(axis=0)) / features[rows].std(axis=0)
    inputs = np.hstack([standard, np.ones((len(labels), 1))])
    parameters = np.zeros(inputs.shape[1])
    for _ in range(1000):
        excess = 1 / (1 + np.exp(-inputs[rows] @ parameters)) - labels[rows]
        parameters = parameters - 0.5 * inputs[rows].T @ excess / len(rows)
    return inputs @ parameters


def likelihood_loss(odds: np.ndarray, labels: np.ndarray) -> float:
    """Mean negative log-likelihood."""
    return float(np.mean(np.logaddexp(0.0, np.where(labels == 1, -odds, odds))))


def best_temperature(variation: str, repeat: int, part: str) -> float:
    """The candidate that fits best on one part of the rows."""
    rows = rows_of(variation, repeat)[part]
    odds, labels = odds_of(variation, repeat)[rows], table_of(variation)[1][rows]
    losses = [likelihood_loss(odds / temperature, labels) for temperature in TEMPERATURES]
    return float(TEMPERATURES[int(np.argmin(losses))])


@cache
def submitted_odds(variation: str) -> dict[Cell, np.ndarray]:
    """Log-odds in predictions.csv, in the order of the test rows of the split."""
    columns = (("fitted_on",), ("repeat", "row", "label"), ("log_odds",))
    table = read_table(variation, "predictions.csv", *columns)
    if np.abs(table["log_odds"]).max() > LARGEST:
        raise Unmet(f"predictions.csv of run {variation!r} has log-odds beyond a million")
    labels = table_of(variation)[1]
    cells: dict[Cell, np.ndarray] = {}
    for condition in CONDITIONS:
        for repeat in range(REPEATS):
            here = (table["fitted_on"] == condition) & (table["repeat"] == repeat)
            test = rows_of(variation, repeat)["test"]
            place = f"run {variation!r}: {condition}, repeat {repeat}"
            if sorted(table["row"][here].tolist()) != sorted(test.tolist()):
                raise Unmet(f"{place} does not predict each test row of splits.split once")
            if np.any(labels[table["row"][here]] != table["label"][here]):
                raise Unmet(f"{place} has a label that is not the table's")
            by_row = dict(zip(table["row"][here].tolist(), table["log_odds"][here].tolist(), strict=True))
            cells[condition, repeat] = np.array([by_row[row] for row in test.tolist()])
    return cells


@cache
def submitted_temperatures(variation: str) -> dict[Cell, float]:
    """temperatures.csv by condition and repeat."""
    table = read_table(variation, "temperatures.csv", ("fitted_on",), ("repeat",), ("temperature",))
    cells = zip(table["fitted_on"].tolist(), table["repeat"].tolist(), strict=True)
    found = dict(zip(cells, table["temperature"].tolist(), strict=True))
    if set(found) != {(condition, repeat) for condition in CONDITIONS for repeat in range(REPEATS)}:
        raise Unmet(f"temperatures.csv of run {variation!r} does not hold each condition of each repeat")
    if min(found.values()) < 1 / LARGEST or max(found.values()) > LARGEST:
        raise Unmet(f"temperatures.csv of run {variation!r} has a temperature that is not between zero and a million")
    return found


def compare_temperatures(part: str) -> str:
    """Evidence that the temperatures of a condition are the best on its own rows."""
    agree, on_test, total = 0, 0, 0
    for variation in RUNS:
        for repeat in REPEATS_LOOKED_AT:
            found = submitted_temperatures(variation)[part, repeat]
            agree += abs(np.log(found / best_temperature(variation, repeat, part))) < 0.05
            on_test += abs(np.log(found / best_temperature(variation, repeat, "test"))) < 0.05
            total += 1
    evidence = f"of {total} temperatures, {agree} are the best on the {part} rows, {on_test} the best on the test rows"
    if agree < total:
        raise Unmet(evidence)
    return evidence
