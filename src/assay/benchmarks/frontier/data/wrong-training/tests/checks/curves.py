"""Every epoch of every configuration, given or drawn, has the losses that the description gives."""

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


def judge(run: str, configurations: dict[str, dict[str, float]]) -> int:
    """How many epochs there are; Unmet if one of them has wrong losses."""
    path = Path("outputs", run, "curves.csv")
    if path.is_symlink() or not path.is_file() or path.stat().st_size > 2**20:
        unmet(f"curves.csv of run {run!r} is missing or too large")
    try:
        rows = list(csv.DictReader(path.read_text(encoding="utf-8-sig").splitlines()))
    except (UnicodeDecodeError, csv.Error):
        unmet(f"curves.csv of run {run!r} is not CSV")
    lines = {(str(row.get("configuration")), str(row.get("epoch"))): row for row in rows}
    wrong, total = [], 0
    for name, config in configurations.items():
        numbers, curve = train(config)
        for right in curve:
            line = lines.get((name, str(right["epoch"])), {})
            total += 1
            apart = [abs(number(line.get(part)) - right[part]) for part in ("train", "valid")]
            if right is curve[-1]:
                apart.append(abs(number(line.get("test")) - numbers["test_loss"]))
            if not max(apart) <= 1e-5 or any(math.isnan(value) for value in apart):
                wrong.append(f"{name} epoch {right['epoch']}")
    if wrong:
        unmet(f"run {run!r}: {len(wrong)} of {total} epochs differ, first {wrong[0]}")
    return total


given = {path.stem: json.loads(path.read_text()) for path in sorted((TESTS / "given").glob("*.json"))}
seed = json.loads(Path("outputs/seeds.json").read_text())["drawn-configurations"]
total = judge("default", given) + judge("drawn-configurations", draw.configurations(seed))
print(f"all {total} epochs of the given and the drawn configurations are right")
