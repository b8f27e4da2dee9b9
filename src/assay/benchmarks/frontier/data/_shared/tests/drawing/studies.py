"""Draws a batch of studies: `python studies.py SEED FOLDER [COUNT]` writes one CSV file for each study.

If a task has kinds of studies, they take turns, so that every batch has each kind about equally often; their order is
shuffled. Otherwise each study draws its own kind.
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
COUNT = int(SETTINGS.get("count", 100))
"""Studies of a batch that is drawn at grading."""

Rows = list[dict[str, Any]]
Truth = dict[str, Any]


def draw_batch(seed: int, count: int = COUNT) -> dict[str, tuple[Rows, Truth]]:
    """The rows and the truth of each study, by its name."""
    width = max(len(str(count)), 2)
    turns = _turns(seed, count)
    batch = {}
    for number in range(1, count + 1):
        source = random.Random(f"{seed}/{number}")
        batch[f"s{number:0{width}}"] = _study(source, turns[number - 1]) if turns else draw.study(source, SETTINGS)
    return batch


def _turns(seed: int, count: int) -> list[str]:
    """The kind of each study, for a task with kinds."""
    kinds = getattr(draw, "KINDS", ())
    turns = [kinds[number % len(kinds)] for number in range(count)] if kinds else []
    random.Random(f"{seed}/kinds").shuffle(turns)
    return turns


def _study(source: random.Random, kind: str) -> tuple[Rows, Truth]:
    rows, truth = draw.study(source, kind, SETTINGS)
    return rows, {**truth, "kind": kind}


def write_batch(batch: dict[str, tuple[Rows, Truth]], folder: Path) -> None:
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
