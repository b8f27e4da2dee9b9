"""Reading cases: one CSV file each."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path


@dataclass
class Case:
    """The columns of one case, row by row."""

    score: list[float]
    label: list[int]
    guess: list[str]
    truth: list[str]
    relevance: list[int]
    weight: list[float]
    group: list[str]
    value: list[float]


def read_case(path: Path) -> Case:
    """Read one case. An empty weight is a weight of 1; rows are kept in the order of the file."""
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    return Case(
        score=[float(row["score"]) for row in rows],
        label=[int(row["label"]) for row in rows],
        guess=[row["guess"] for row in rows],
        truth=[row["truth"] for row in rows],
        relevance=[int(row["relevance"]) for row in rows],
        weight=[float(row["weight"] or 0) for row in rows],
        group=[row["group"] for row in rows],
        value=[float(row["value"]) for row in rows],
    )
