"""Draws a batch of studies: `python studies.py SEED FOLDER [COUNT]` writes one CSV file for each study."""

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
COUNT = int(SETTINGS.get("count", 100))
"""Studies of a batch that is drawn at grading."""

Rows = list[dict[str, Any]]


def draw_batch(seed: int, count: int = COUNT) -> dict[str, tuple[Rows, dict[str, Any]]]:
    """The rows and the truth of each study, by its name."""
    width = len(str(count))
    batch = {}
    for number in range(1, count + 1):
        source = random.Random(f"{seed}/{number}")
        batch[f"s{number:0{max(width, 2)}}"] = draw.study(source, SETTINGS)
    return batch


def write_batch(batch: dict[str, tuple[Rows, dict[str, Any]]], folder: Path) -> None:
    """One CSV file for each study."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, (rows, _) in batch.items():
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
    write_batch(draw_batch(int(sys.argv[1]), int(sys.argv[3]) if len(sys.argv) > 3 else COUNT), Path(sys.argv[2]))
