"""The predictions made anew from the truth, and those of a run."""

from __future__ import annotations

from functools import cache

import numpy as np
from evidence import DATA, Unmet, drawn_runs, read_table

RUNS = {"default": (0, "public.csv"), "other-seed": (7, "public.csv"), "other-patients": (0, "hidden.csv")}
RUNS |= drawn_runs("public.csv")
NEIGHBOURS = (1, 20)
METHODS = ("single", "bagged")
TEST_ROWS = 60
TRAINING_SETS = 15
TRAINING_ROWS = 100
BOOTSTRAPS = 25
LARGEST = 1e6
SETS_LOOKED_AT = (0, 7)
"""Those whose predictions are made anew; the results of all sets are compared with gold."""

Cell = tuple[int, str]


@cache
def table_of(variation: str) -> tuple[np.ndarray, np.ndarray]:
    """Measurements and targets of the table that the run was given."""
    table = np.loadtxt(DATA / RUNS[variation][1], delimiter=",", skiprows=1)
    return table[:, :-1], table[:, -1]


def rows_of(variation: str) -> tuple[np.ndarray, np.ndarray]:
    """Test rows and pool."""
    order = np.random.default_rng([RUNS[variation][0], 0]).permutation(len(table_of(variation)[1]))
    return order[:TEST_ROWS], order[TEST_ROWS:]


def training_rows(variation: str, number: int) -> np.ndarray:
    """One training set."""
    return np.random.default_rng([RUNS[variation][0], 1, number]).choice(rows_of(variation)[1], TRAINING_ROWS, False)


def bootstrap_rows(variation: str, number: int) -> np.ndarray:
    """The bootstrap samples of one training set."""
    generator = np.random.default_rng([RUNS[variation][0], 2, number])
    return training_rows(variation, number)[generator.integers(0, TRAINING_ROWS, (BOOTSTRAPS, TRAINING_ROWS))]


def predicted(variation: str, neighbours: int, rows: np.ndarray) -> np.ndarray:
    """Nearest-neighbour predictions of the test rows from some training rows."""
    features, targets = table_of(variation)
    spread = features[rows].std(axis=0)
    apart = (features[rows_of(variation)[0]][:, None, :] - features[rows][None, :, :]) / spread
    nearest = np.argpartition((apart**2).sum(axis=2), neighbours - 1, axis=1)[:, :neighbours]
    return targets[rows][nearest].mean(axis=1)


@cache
def submitted(variation: str) -> dict[Cell, np.ndarray]:
    """predictions.csv as training sets x test rows, in the order of the test rows of the split."""
    columns = (("method",), ("neighbours", "training_set", "row"), ("predicted",))
    table = read_table(variation, "predictions.csv", *columns)
    if np.abs(table["predicted"]).max() > LARGEST:
        raise Unmet(f"predictions.csv of run {variation!r} has a prediction beyond a million")
    test = rows_of(variation)[0]
    wanted = np.sort(test)
    cells = {}
    for neighbours in NEIGHBOURS:
        for method in METHODS:
            here = (table["neighbours"] == neighbours) & (table["method"] == method)
            order = np.lexsort((table["row"][here], table["training_set"][here]))
            sets, rows = table["training_set"][here][order], table["row"][here][order]
            expected = (np.repeat(np.arange(TRAINING_SETS), TEST_ROWS), np.tile(wanted, TRAINING_SETS))
            if not (np.array_equal(sets, expected[0]) and np.array_equal(rows, expected[1])):
                raise Unmet(
                    f"run {variation!r}: {neighbours} neighbours, {method}: expected each of the {TEST_ROWS} rows of "
                    f"sampling.set_aside once for each of {TRAINING_SETS} training sets"
                )
            by_row = table["predicted"][here][order].reshape(TRAINING_SETS, TEST_ROWS)
            cells[neighbours, method] = by_row[:, np.searchsorted(wanted, test)]
    return cells
