"""Draws a battery of studies: `python battery.py SEED FOLDER [COUNT]` writes one CSV file for each study.

The kinds of studies take turns, so that every battery has each kind about equally often; their order is shuffled.
"""

from __future__ import annotations

import csv
import json
import random
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import draw  # noqa: E402

SETTINGS: dict[str, Any] = json.loads((HERE / "settings.json").read_text())

Rows = list[dict[str, Any]]


def draw_battery(seed: int, count: int) -> dict[str, tuple[Rows, dict[str, Any]]]:
    """The rows and the truth of each study, by its name."""
    kinds = [draw.KINDS[number % len(draw.KINDS)] for number in range(count)]
    random.Random(f"{seed}/kinds").shuffle(kinds)
    battery = {}
    for number, kind in enumerate(kinds, start=1):
        rows, truth = draw.study(random.Random(f"{seed}/{number}"), kind, SETTINGS)
        battery[f"s{number:0{max(len(str(count)), 2)}}"] = rows, {**truth, "kind": kind}
    return battery


def write_battery(battery: dict[str, tuple[Rows, dict[str, Any]]], folder: Path) -> None:
    """One CSV file for each study."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, (rows, _) in battery.items():
        with (folder / f"{name}.csv").open("w", newline="") as file:
            writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
            writer.writeheader()
            writer.writerows({column: _text(value) for column, value in row.items()} for row in rows)


def _text(value: Any) -> Any:
    if isinstance(value, float):
        return f"{value:.4f}".rstrip("0").rstrip(".")
    return "" if value is None else value


def as_read(rows: Rows) -> list[dict[str, str]]:
    """The rows as a reader of the CSV file gets them."""
    return [{column: str(_text(value)) for column, value in row.items()} for row in rows]


if __name__ == "__main__":
    size = int(sys.argv[3]) if len(sys.argv) > 3 else SETTINGS["count"]
    write_battery(draw_battery(int(sys.argv[1]), size), Path(sys.argv[2]))
