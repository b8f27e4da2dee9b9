"""The rows of one study, stage by stage."""

from __future__ import annotations

import csv
import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np


@dataclass(frozen=True)
class Settings:
    """Settings of one study, as its file has them."""

    seed: int
    width: int
    epochs: int
    patience: int
    batch: int
    rate: float
    decay: float
    momentum: float
    penalty: float
    smoothing: float
    replay: int
    replay_weight: float
    distil_weight: float
    distil_temperature: float
    capacity: int
    temperatures: tuple[float, ...]
    bins: int


@dataclass(frozen=True)
class Part:
    """Rows of one part of one stage."""

    values: np.ndarray
    labels: np.ndarray

    def __len__(self) -> int:
        return len(self.labels)


@dataclass(frozen=True)
class Stage:
    """What one stage brings."""

    number: int
    train: Part
    valid: Part
    test: Part


@dataclass(frozen=True)
class Study:
    """All stages in their order."""

    stages: list[Stage]
    settings: Settings

    @property
    def classes(self) -> int:
        """The number of classes of all stages."""
        return 1 + max(int(stage.train.labels.max()) for stage in self.stages)

    @property
    def dimensions(self) -> int:
        """The number of values of a row."""
        return self.stages[0].train.values.shape[1]


def read_settings(path: Path) -> Settings:
    """Read the settings."""
    fields = json.loads(path.read_text())
    fields["temperatures"] = tuple(fields["temperatures"])
    return Settings(**fields)


def part_of(rows: list[dict[str, str]], name: str) -> Part:
    """The rows of one part, in the order of the file."""
    mine = [row for row in rows if row["part"] == name]
    names = [column for column in rows[0] if column.startswith("x")]
    values = np.array([[float(row[column]) for column in names] for row in mine])
    return Part(values, np.array([int(row["label"]) for row in mine]))


def read_study(folder: Path, name: str) -> Study:
    """Read the files of one study."""
    with (folder / f"{name}-rows.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    numbers = sorted({int(row["stage"]) for row in rows})
    stages = []
    for number in numbers:
        mine = [row for row in rows if int(row["stage"]) == number]
        stages.append(Stage(number, part_of(mine, "train"), part_of(mine, "valid"), part_of(mine, "test")))
    return Study(stages, read_settings(folder / f"{name}-settings.json"))
