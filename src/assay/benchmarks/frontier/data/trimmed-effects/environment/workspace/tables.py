"""The rows of one study."""

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
    folds: int
    inner: int
    repeats: int
    penalties: tuple[float, ...]
    rule: float
    squares: int
    limit: float
    clip: float
    trim: float | str
    normalise: bool
    replicates: int
    alpha: float


@dataclass(frozen=True)
class Table:
    """Columns of a study; a missing covariate is NaN."""

    cluster: np.ndarray
    weight: np.ndarray
    treated: np.ndarray
    outcome: np.ndarray
    placebo: np.ndarray
    covariates: np.ndarray
    settings: Settings

    def __len__(self) -> int:
        return len(self.cluster)

    @property
    def labels(self) -> np.ndarray:
        """Labels of the clusters, in ascending order."""
        return np.unique(self.cluster)

    @property
    def has_gaps(self) -> np.ndarray:
        """For each covariate, whether any row lacks it."""
        return np.isnan(self.covariates).any(axis=0)


def read_settings(path: Path) -> Settings:
    """Read the settings."""
    fields = json.loads(path.read_text())
    fields["penalties"] = tuple(fields["penalties"])
    return Settings(**fields)


def number(text: str) -> float:
    """A number, or NaN for an empty field."""
    return float(text) if text.strip() else float("nan")


def read_table(folder: Path, name: str) -> Table:
    """Read the files of one study."""
    with (folder / f"{name}-rows.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    names = [name for name in rows[0] if name.startswith("x")]
    return Table(
        cluster=np.array([int(row["cluster"]) for row in rows]),
        weight=np.array([float(row["weight"]) for row in rows]),
        treated=np.array([int(row["treated"]) for row in rows]),
        outcome=np.array([float(row["outcome"]) for row in rows]),
        placebo=np.array([float(row["placebo"]) for row in rows]),
        covariates=np.array([[number(row[name]) for name in names] for row in rows]),
        settings=read_settings(folder / f"{name}-settings.json"),
    )
