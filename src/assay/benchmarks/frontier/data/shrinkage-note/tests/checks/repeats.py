"""The means are those of repeats.csv, and its repeats are those of the seed."""

from __future__ import annotations

import csv
import json
import math
import os
import sys
import traceback
from pathlib import Path

import numpy as np

REPEATS = 120
COLUMNS = ("ols", "ridge", "pcr", "cv_ridge")


def broken_check(kind, error, trace) -> None:
    """Python exits with 1 after a traceback, which would read as `unmet`."""
    traceback.print_exception(kind, error, trace)
    os._exit(2)


sys.excepthook = broken_check


def unmet(reason: str) -> None:
    print(reason)
    sys.exit(1)


def least_squares(seed: int, repeat: int) -> tuple[float, float]:
    """The error of least squares in one repeat, and the least that any fit can have."""
    source = np.random.default_rng([seed, repeat])
    coefficients = source.normal(size=12) / np.sqrt(12)
    samples = source.normal(size=(18, 12))
    response = samples @ coefficients + source.normal(size=18)
    features = np.vstack([samples, samples])
    readings = np.hstack([response, response]) + 0.3 * source.normal(size=36)
    fitted = np.linalg.lstsq(features, readings, rcond=None)[0]
    return float(((fitted - coefficients) ** 2).sum() + 1.09), 1.09


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
    return lines


def stated(run: str, name: str) -> float:
    try:
        return float(json.loads((Path("outputs") / run / "results.json").read_text())["error"][name])
    except (OSError, ValueError, KeyError, TypeError):
        return math.nan


seeds = {"default": 0, **json.loads(Path("outputs/seeds.json").read_text())}
for run, seed in seeds.items():
    lines = read(run)
    for name in COLUMNS:
        middle = sum(line[name] for line in lines) / REPEATS
        if not abs(stated(run, name) - middle) <= 2e-3:
            unmet(f"run {run!r}: {name} in results.json is not the mean of repeats.csv")
    for line in lines:
        right, least = least_squares(seed, int(line["repeat"]))
        if not abs(line["ols"] - right) <= 2e-3 * max(1.0, right):
            unmet(f"run {run!r}: ols of repeat {int(line['repeat'])} is not that of the seed")
        if min(line["ridge"], line["pcr"]) < least - 1e-3:
            unmet(f"run {run!r}: an error of repeat {int(line['repeat'])} is below the noise")
print(f"{REPEATS} repeats in each of {len(seeds)} runs, all of their seeds")
