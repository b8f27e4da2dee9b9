"""Every measure of every case, given or drawn, is the one that its definition gives."""

from __future__ import annotations

import csv
import json
import math
import os
import sys
import tempfile
import traceback
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS / "drawing"), str(TESTS / "right")]

import draw  # noqa: E402
import audit  # noqa: E402
from cases import read_case  # noqa: E402


def broken_check(kind, error, trace) -> None:
    """Python exits with 1 after a traceback, which would read as `unmet`."""
    traceback.print_exception(kind, error, trace)
    os._exit(2)


sys.excepthook = broken_check


def unmet(reason: str) -> None:
    print(reason)
    sys.exit(1)


def submitted(run: str) -> dict[str, dict[str, str]]:
    path = Path("outputs", run, "per_case.csv")
    if path.is_symlink() or not path.is_file() or path.stat().st_size > 2**20:
        unmet(f"per_case.csv of run {run!r} is missing or too large")
    try:
        lines = list(csv.DictReader(path.read_text(encoding="utf-8-sig").splitlines()))
    except (UnicodeDecodeError, csv.Error):
        unmet(f"per_case.csv of run {run!r} is not CSV")
    return {str(line.get("case")): line for line in lines}


def number(text: object) -> float:
    try:
        return float(str(text))
    except ValueError:
        return math.nan


def judge(run: str, cases: list[Path]) -> None:
    """Unmet if a measure of a case is not the right one."""
    lines = submitted(run)
    wrong: dict[str, int] = {}
    for path in cases:
        line = lines.get(path.stem, {})
        for name, right in audit.measure(read_case(path)).items():
            allowed = max(0.25 * abs(right), 0.05) if name == "interval_width" else 1e-6
            if not abs(number(line.get(name)) - right) <= allowed:
                wrong[name] = wrong.get(name, 0) + 1
    # Another random stream draws other groups, so a few widths of small cases may differ more. The given cases are too
    # few to count them: there, only the mean of the widths is judged.
    few = len(cases) if run == "default" else 0.2 * len(cases)
    wrong = {name: count for name, count in wrong.items() if not (name == "interval_width" and count <= few)}
    if wrong or len(lines) != len(cases):
        unmet(f"run {run!r}: {len(lines)} lines for {len(cases)} cases; wrong: {wrong}")


given = sorted((TESTS / "given").glob("*.csv"))
seed = json.loads(Path("outputs/seeds.json").read_text())["drawn-cases"]
with tempfile.TemporaryDirectory() as folder:
    draw.main(seed, Path(folder))
    drawn = sorted(Path(folder).glob("*.csv"))
    judge("default", given)
    judge("drawn-cases", drawn)
print(f"all measures of {len(given)} given and {len(drawn)} drawn cases are right")
