"""Every epoch of every drawn configuration has the losses that the description gives."""

from __future__ import annotations

import csv
import json
import math
import os
import sys
import traceback
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS / "drawing"), str(TESTS / "right")]

import draw  # noqa: E402
from training import train  # noqa: E402


def broken_check(kind, error, trace) -> None:
    """Python exits with 1 after a traceback, which would read as `unmet`."""
    traceback.print_exception(kind, error, trace)
    os._exit(2)


sys.excepthook = broken_check


def unmet(reason: str) -> None:
    print(reason)
    sys.exit(1)


def number(text: object) -> float:
    try:
        return float(str(text))
    except ValueError:
        return math.nan


path = Path("outputs/drawn-configurations/curves.csv")
if path.is_symlink() or not path.is_file() or path.stat().st_size > 2**20:
    unmet("curves.csv of the drawn configurations is missing or too large")
try:
    rows = list(csv.DictReader(path.read_text(encoding="utf-8-sig").splitlines()))
except (UnicodeDecodeError, csv.Error):
    unmet("curves.csv is not CSV")
lines = {(str(row.get("configuration")), str(row.get("epoch"))): row for row in rows}
seed = json.loads(Path("outputs/seeds.json").read_text())["drawn-configurations"]
wrong, total = [], 0
for name, config in draw.configurations(seed).items():
    numbers, curve = train(config)
    for right in curve:
        line = lines.get((name, str(right["epoch"])), {})
        total += 1
        apart = [abs(number(line.get(part)) - right[part]) for part in ("train", "valid")]
        if right is curve[-1]:
            apart.append(abs(number(line.get("test")) - numbers["test_loss"]))
        if not max(apart) <= 1e-5:
            wrong.append(f"{name} epoch {right['epoch']}")
        if any(math.isnan(value) for value in apart):
            wrong.append(f"{name} epoch {right['epoch']} has no numbers")
if wrong:
    unmet(f"{len(wrong)} of {total} epochs differ, first {wrong[0]}")
print(f"all {total} epochs of the drawn configurations are right")
