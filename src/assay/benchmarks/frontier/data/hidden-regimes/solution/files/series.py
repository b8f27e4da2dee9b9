"""The series of one study."""

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
    states: tuple[int, ...]
    held: int
    stay: float
    starts: int
    jitter: float
    temper: float
    step: float
    iterations: int
    tolerance: float
    pseudo: float
    sticky: float
    strength: float
    spread: float
    floor: float
    criterion: str
    lag: int
    horizon: int
    burn: int


@dataclass(frozen=True)
class Series:
    """One series; a missing value is NaN."""

    label: int
    times: np.ndarray
    values: np.ndarray

    def __len__(self) -> int:
        return len(self.times)

    @property
    def gaps(self) -> np.ndarray:
        """Steps of time from each row to the next."""
        return np.diff(self.times)

    @property
    def observed(self) -> np.ndarray:
        """Where a value is there."""
        return ~np.isnan(self.values)


@dataclass(frozen=True)
class Panel:
    """All series of a study."""

    training: list[Series]
    held: list[Series]
    settings: Settings

    @property
    def everything(self) -> list[Series]:
        """Training series first."""
        return [*self.training, *self.held]


def read_settings(path: Path) -> Settings:
    """Read the settings."""
    fields = json.loads(path.read_text())
    fields["states"] = tuple(fields["states"])
    return Settings(**fields)


def number(text: str) -> float:
    """A number, or NaN for an empty field."""
    return float(text) if text.strip() else float("nan")


def read_panel(folder: Path, name: str) -> Panel:
    """Read the files of one study."""
    settings = read_settings(folder / f"{name}-settings.json")
    with (folder / f"{name}-series.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    names = [name for name in rows[0] if name.startswith("y")]
    groups: dict[int, list[dict[str, str]]] = {}
    for row in rows:
        groups.setdefault(int(row["series"]), []).append(row)
    ordered = []
    for label in sorted(groups):
        mine = sorted(groups[label], key=lambda row: int(row["time"]))
        times = np.array([int(row["time"]) for row in mine])
        values = np.array([[number(row[name]) for name in names] for row in mine])
        ordered.append(Series(int(label), times, values))
    count = len(ordered) - settings.held
    return Panel(ordered[:count], ordered[count:], settings)
