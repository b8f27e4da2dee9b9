"""Splits the rows of a data set by the hash of their name: one in ten is held, the others are shown.

Writes JSON lines. Run it with a Python that has pyarrow: split_rows.py FOLDER shown|held OUT
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
    """Yield the rows of one file; files of other kinds have none."""
    if path.suffix == ".parquet":
        import pyarrow.parquet

        for batch in pyarrow.parquet.ParquetFile(path).iter_batches():
            yield from batch.to_pylist()
    elif path.suffix == ".jsonl":
        yield from (json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip())
    elif path.suffix == ".json":
        content = json.loads(path.read_text("utf-8"))
        yield from content if isinstance(content, list) else []
    elif path.suffix == ".csv":
        with path.open(newline="", encoding="utf-8") as stream:
            yield from csv.DictReader(stream)


def is_held(row: dict[str, Any]) -> bool:
    """Return whether a row is in the held tenth, the same on every machine."""
    return hashlib.sha256(str(row["name"]).encode()).digest()[0] < 26


def main(folder: str, part: str, out: str) -> None:
    """Write the rows of one part."""
    files = sorted(path for path in Path(folder).rglob("*") if path.is_file())
    selected = [row for path in files for row in rows(path) if is_held(row) == (part == "held")]
    if not selected:
        raise SystemExit(f"no rows in {folder}")
    text = "".join(json.dumps(row, ensure_ascii=False, sort_keys=True) + "\n" for row in selected)
    (Path(out) / "rows.jsonl").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
