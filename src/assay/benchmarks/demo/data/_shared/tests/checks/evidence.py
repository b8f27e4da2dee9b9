"""What a run left behind, read without trusting it: whatever is wrong with it is Unmet, in one line."""

from __future__ import annotations

import csv
import json
import math
import os
import sys
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType

import numpy as np

OUTPUTS = Path("outputs")
DATA = Path(__file__).resolve().parents[1] / "data"
SIZE_LIMIT = 16 * 2**20

Table = dict[str, np.ndarray]


class Unmet(Exception):
    """The requirement does not hold; the message says what was found."""


def _broken_check(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """Python exits with 1 after a traceback, which would read as `unmet`; a broken check must not."""
    traceback.print_exception(kind, error, trace)
    sys.stderr.flush()
    os._exit(2)


sys.excepthook = _broken_check


def decide(check: Callable[[], str]) -> None:
    """Print the evidence; exit 0 if the requirement is met, 1 if not."""
    try:
        evidence = check()
    except Unmet as reason:
        print(reason)
        sys.exit(1)
    print(evidence)


def drawn_runs(data: str) -> dict[str, tuple[int, str]]:
    """The runs with a seed that was drawn at grading, each with its seed and the data file."""
    path = OUTPUTS / "seeds.json"
    seeds = json.loads(path.read_text()) if path.is_file() else {}
    return {name: (seed, data) for name, seed in seeds.items()}


def read_text(variation: str, name: str) -> str:
    """An output file of one run."""
    path = OUTPUTS / variation / name
    place = f"{name} of run {variation!r}"
    try:
        if path.is_symlink() or not path.is_file():
            raise Unmet(f"{place} is missing")
        if path.stat().st_size > SIZE_LIMIT:
            raise Unmet(f"{place} is larger than {SIZE_LIMIT} bytes")
        return path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise Unmet(f"{place} cannot be read: {type(error).__name__}") from None


def read_json(variation: str, name: str) -> object:
    """A JSON output of one run."""
    try:
        return json.loads(read_text(variation, name))
    except (ValueError, RecursionError):
        raise Unmet(f"{name} of run {variation!r} is not JSON") from None


def number(value: object, place: str) -> float:
    """A finite number, or Unmet."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise Unmet(f"{place} is {ascii(value)[:40]}, expected a number")
    try:
        found = float(value)
    except OverflowError:
        found = math.inf
    if not math.isfinite(found):
        raise Unmet(f"{place} is not finite")
    return found


def result(variation: str, path: str) -> float:
    """The number at a dotted path of results.json."""
    found = read_json(variation, "results.json")
    for step in path.split("."):
        if not isinstance(found, dict) or step not in found:
            raise Unmet(f"results.json of run {variation!r} has no {path}")
        found = found[step]
    return number(found, f"{path} in results.json of run {variation!r}")


def read_table(variation: str, name: str, words: Sequence[str], wholes: Sequence[str], reals: Sequence[str]) -> Table:
    """Named columns of a CSV output: words as text, wholes as integers, reals as finite numbers."""
    place = f"{name} of run {variation!r}"
    try:
        rows = list(csv.DictReader(read_text(variation, name).splitlines(), skipinitialspace=True))
    except csv.Error:
        raise Unmet(f"{place} is not CSV") from None
    lines = [{str(column).strip(): cell for column, cell in row.items()} for row in rows]
    missing = [column for column in (*words, *wholes, *reals) if lines and column not in lines[0]]
    if missing or not lines:
        raise Unmet(f"{place} has no rows" if not lines else f"{place} has no column {missing[0]!r}")
    table: Table = {column: np.array([str(line[column]).strip()[:40] for line in lines]) for column in words}
    table |= {column: np.array([_whole(line[column], f"{column} in {place}") for line in lines]) for column in wholes}
    table |= {column: np.array([_real(line[column], f"{column} in {place}") for line in lines]) for column in reals}
    return table


def _whole(text: object, place: str) -> int:
    value = _real(text, place)
    if value != round(value) or abs(value) > 1e9:
        raise Unmet(f"{place} is {ascii(text)[:40]}, expected a whole number")
    return int(value)


def _real(text: object, place: str) -> float:
    try:
        value = float(text) if isinstance(text, str) else math.nan
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise Unmet(f"{place} is {ascii(text)[:40]}, expected a finite number")
    return value
