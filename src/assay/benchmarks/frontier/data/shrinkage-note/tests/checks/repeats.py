"""The means are those of repeats.csv, and each line of it is an analysis of the data of the seed."""

from __future__ import annotations

import csv
import json
import math
import os
import sys
import traceback
from pathlib import Path

import numpy as np
import retuned

REPEATS = 120
COLUMNS = ("ols", "ridge", "pcr", "cv_ridge")
CLOSE = 6e-3
"""Numbers may be written with two decimals."""
FITTED = 0.95
"""Share of the lines whose error is that of a fit with one of the settings."""
CHOICES = 0.25
"""Correlation of the chosen settings with those of the check. Other folds give 0.5 to 0.8, a choice without the data 0."""
VALIDATED = 0.7
"""Correlation of the cross-validated errors with those of the check. Other folds give 0.85 to 0.97."""


def broken_check(kind, error, trace) -> None:
    """Python exits with 1 after a traceback, which would read as `unmet`."""
    traceback.print_exception(kind, error, trace)
    os._exit(2)


sys.excepthook = broken_check


def unmet(reason: str) -> None:
    print(reason)
    sys.exit(1)


def read(run: str) -> list[dict[str, float]]:
    path = Path("outputs") / run / "repeats.csv"
    if path.is_symlink() or not path.is_file() or path.stat().st_size > 2**20:
        unmet(f"repeats.csv of run {run!r} is missing or too large")
    try:
        rows = list(csv.DictReader(path.read_text(encoding="utf-8-sig").splitlines()))
        lines = [{name: float(row[name]) for name in ("repeat", *COLUMNS)} for row in rows]
    except (UnicodeDecodeError, csv.Error, ValueError, KeyError, TypeError):
        unmet(f"repeats.csv of run {run!r} does not have numbers in the columns repeat, {', '.join(COLUMNS)}")
    if sorted(line["repeat"] for line in lines) != list(range(REPEATS)):
        unmet(f"repeats.csv of run {run!r} does not have the repeats 0 to {REPEATS - 1}, each once")
    if not all(0 < line[name] < 1e6 for line in lines for name in COLUMNS):
        unmet(f"repeats.csv of run {run!r} has an error that is not between 0 and a million")
    return sorted(lines, key=lambda line: line["repeat"])


def stated(run: str, name: str) -> float:
    try:
        return float(json.loads((Path("outputs") / run / "results.json").read_text())["error"][name])
    except (OSError, ValueError, KeyError, TypeError):
        return math.nan


def correlate(left: list[float], right: list[float]) -> float:
    """Their correlation; 0 where one of them never changes."""
    return float(np.corrcoef(left, right)[0, 1]) if len(set(left)) > 1 and len(set(right)) > 1 else 0.0


def chosen_settings(column: list[float], fits: list[dict[float, float]]) -> list[float | None]:
    """The setting whose error is nearest to each written one; None where no error is near."""
    settings: list[float | None] = []
    for value, errors in zip(column, fits, strict=True):
        setting = min(errors, key=lambda one: abs(value - errors[one]))
        near = abs(value - errors[setting]) <= CLOSE * max(1.0, errors[setting])
        settings.append(setting if near else None)
    return settings


def check_choices(run: str, name: str, column: list[float], repeats: list[retuned.Repeat]) -> str:
    """The errors of one method are those of fits, whose settings follow the data."""
    best = [repeat.best[name] for repeat in repeats]
    settings = chosen_settings(column, [repeat.errors[name] for repeat in repeats])
    pairs = [(setting, wanted) for setting, wanted in zip(settings, best, strict=True) if setting is not None]
    if len(pairs) < FITTED * REPEATS:
        unmet(f"run {run!r}: {REPEATS - len(pairs)} of {REPEATS} errors of {name} are those of no setting")
    together = correlate([setting for setting, _ in pairs], [wanted for _, wanted in pairs])
    if together < CHOICES:
        unmet(f"run {run!r}: the settings behind {name} correlate by {together:.2f} with tuned ones")
    return f"{name} {together:.2f}"


seeds = {"default": 0, **json.loads(Path("outputs/seeds.json").read_text())}
evidence = []
for run, seed in seeds.items():
    lines = read(run)
    columns = {name: [line[name] for line in lines] for name in COLUMNS}
    for name in COLUMNS:
        if not abs(stated(run, name) - sum(columns[name]) / REPEATS) <= CLOSE:
            unmet(f"run {run!r}: {name} in results.json is not the mean of repeats.csv")
    repeats = [retuned.tune(seed, number) for number in range(REPEATS)]
    for number, (value, repeat) in enumerate(zip(columns["ols"], repeats, strict=True)):
        if not abs(value - repeat.least_squares) <= CLOSE * max(1.0, repeat.least_squares):
            unmet(f"run {run!r}: ols of repeat {number} is not that of the seed")
    together = correlate(columns["cv_ridge"], [repeat.validated for repeat in repeats])
    if together < VALIDATED:
        unmet(f"run {run!r}: cv_ridge correlates by {together:.2f} with the cross-validated errors of the repeats")
    choices = [check_choices(run, name, columns[name], repeats) for name in ("ridge", "pcr")]
    evidence.append(f"{run}: settings {', '.join(choices)}, cv_ridge {together:.2f}")
print(f"{REPEATS} repeats in each run, all of their seeds; correlations with a good analysis: {'; '.join(evidence)}")
