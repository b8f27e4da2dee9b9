"""Rows of a data set as JSON lines: one in ten is held, by the hash of its name, the others are shown.

Run by a Python that has pyarrow: split_rows.py FOLDER shown|held OUT
"""

from __future__ import annotations

import csv
import hashlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any


def rows(path: Path) -> Iterator[dict[str, Any]]:
    """The rows of one file; files of other kinds have none."""
    if path.suffix == ".parquet":
        import pyarrow.parquet

        for batch in pyarrow.parquet.ParquetFile(path).iter_batches():
            yield from batch.to_pylist()
    elif path.suffix == ".jsonl":
        yield from (json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip())
    elif path.suffix == ".json":
        found = json.loads(path.read_text("utf-8"))
        yield from found if isinstance(found, list) else []
    elif path.suffix == ".csv":
        with path.open(newline="", encoding="utf-8") as stream:
            yield from csv.DictReader(stream)


def is_held(row: dict[str, Any]) -> bool:
    """Whether a row is one of the held tenth, the same on every machine."""
    return hashlib.sha256(str(row["name"]).encode()).digest()[0] < 26


def main(folder: str, part: str, out: str) -> None:
    """Write the wanted part."""
    files = sorted(path for path in Path(folder).rglob("*") if path.is_file())
    chosen = [row for path in files for row in rows(path) if is_held(row) == (part == "held")]
    if not chosen:
        raise SystemExit(f"no rows in {folder}")
    text = "".join(json.dumps(row, ensure_ascii=False, sort_keys=True) + "\n" for row in chosen)
    (Path(out) / "rows.jsonl").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
