"""The numbers of the other files that a run must write: tables and JSON, by what each row is about."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping

from assay.rules.documents import read_json
from assay.rules.written_values import as_number

MOST_BYTES = 4 << 20
MOST_ROWS = 20_000


def numbers_of_outputs(outputs: Mapping[str, bytes]) -> dict[str, object]:
    """File → its numbers, as nested tables: column, then the row's keys, then the number."""
    found: dict[str, object] = {}
    for path, data in outputs.items():
        if len(data) > MOST_BYTES:
            continue
        text = data.decode(errors="replace")
        if path.endswith(".csv"):
            found[path] = _columns(text)
        elif path.endswith(".json"):
            try:
                found[path] = read_json(text)
            except ValueError:
                continue
    return found


def _columns(text: str) -> dict[str, object]:
    """Column → keys of the row (its words and whole numbers) → number."""
    try:
        rows = list(csv.DictReader(io.StringIO(text), skipinitialspace=True))[:MOST_ROWS]
    except csv.Error:
        return {}
    columns: dict[str, object] = {}
    for row in rows:
        cells = {str(name): str(cell) for name, cell in row.items()}
        keys = [cell for cell in cells.values() if _is_key(cell)]
        for name, cell in cells.items():
            if not _is_key(cell) and (number := as_number(cell)) is not None:
                _put(columns, [name, *keys], number)
    return columns


def _put(table: dict[str, object], path: list[str], number: float) -> None:
    for step in path[:-1]:
        inner = table.setdefault(step, {})
        if not isinstance(inner, dict):
            return
        table = inner
    table[path[-1]] = number


def _is_key(cell: str) -> bool:
    """Whether a cell says what its row is about: a word, or a whole number such as a step or a repeat."""
    number = as_number(cell)
    return number is None or (cell.strip().lstrip("-").isdigit())
