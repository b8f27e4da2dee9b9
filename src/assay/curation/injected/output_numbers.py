"""Finds the numbers that a run prints and writes, each at an address that another run has too.

An address is the source (`stdout` or a file), a key, the occurrence of this key, and the position in it. The
key of a printed number is its line with `#` in place of every number, so that a line which another run prints
earlier or later keeps its key. A copy of this file is part of every curated solution.
"""

import csv
import io
import json
import re
from typing import Any, Dict, List, Optional

MOST_NUMBERS = 5000
"""Of one source."""
NUMBER = re.compile(
    r"(?:(?<![^\s(\[,=:|/$~<>])[-+])?(?<![\w.])(?:\d{1,3}(?:,\d{3})+|\d+)?(?:(?<=\d)\.?|\.(?=\d))\d*"
    r"(?:[eE][-+]?\d+)?(?![\w.]*\d)(?![A-Za-z_]{4,})"
)
"""A number in a line, with a sign only where no word or number is before it."""


def numbers_of(source: str, text: str) -> List[Any]:
    """List the numbers of one output: dictionaries with key, occurrence, position, text, value and label."""
    if source.endswith(".json"):
        numbers = _json_numbers(text)
    elif source.endswith((".csv", ".tsv")):
        numbers = _csv_numbers(text, "\t" if source.endswith(".tsv") else ",")
    else:
        numbers = _line_numbers(text)
    return [dict(number, source=source) for number in numbers[:MOST_NUMBERS]]


def values_at(addresses: List[Any], outputs: Dict[str, Any]) -> List[Any]:
    """Return the value at each address (a list of dictionaries), None where the run has no such number."""
    values: Dict[Any, Any] = {}
    for source in sorted({address["source"] for address in addresses}):
        for number in numbers_of(source, outputs.get(source, "")):
            place = (source, number["key"], number["occurrence"], number["position"])
            values[place] = number["value"]
    return [
        values.get((address["source"], address["key"], address["occurrence"], address["position"]))
        for address in addresses
    ]


def as_number(text: str) -> Optional[float]:
    """Return the value of a written number, or None."""
    try:
        return float(text.replace(",", ""))
    except ValueError:
        return None


def _line_numbers(text: str) -> List[Any]:
    numbers: List[Any] = []
    counts: Dict[str, Any] = {}
    heading = ""
    for line in re.split(r"[\r\n]+", text):
        plain = re.sub(r"\x1b\[[0-9;]*m", "", line)
        matches = [match for match in NUMBER.finditer(plain) if as_number(match.group()) is not None]
        key = " ".join(_with_marks(plain, matches).split())
        occurrence = counts.get(key, 0)
        counts[key] = occurrence + 1
        for position, match in enumerate(matches):
            label = " ".join(part for part in (heading, plain[: match.start()].strip()) if part)
            after = plain[match.end() :].strip()[:40]
            numbers.append(
                {
                    "key": key,
                    "occurrence": occurrence,
                    "position": position,
                    "text": match.group(),
                    "value": as_number(match.group()),
                    "label": " ".join((label + " " + after).split())[:300],
                }
            )
        if plain.strip() and not plain.startswith((" ", "\t")):
            heading = plain.strip()[:120]
        if len(numbers) > MOST_NUMBERS:
            break
    return numbers


def _with_marks(line: str, matches: List[Any]) -> str:
    for match in reversed(matches):
        line = line[: match.start()] + "#" + line[match.end() :]
    return line


def _json_numbers(text: str) -> List[Any]:
    try:
        document = json.loads(text)
    except ValueError:
        return []
    numbers: List[Any] = []
    _walk(document, "", "", numbers)
    return numbers


def _walk(value: object, path: str, context: str, numbers: List[Any]) -> None:
    if len(numbers) > MOST_NUMBERS:
        return
    if isinstance(value, bool) or value is None:
        return
    if isinstance(value, (int, float)):
        keys = [part for part in path.split(".") if not part.isdigit()]
        label = " ".join((" ".join(keys) + " " + context).split())
        if value == value and abs(value) != float("inf"):
            number = {"key": path, "occurrence": 0, "position": 0, "text": repr(value)}
            numbers.append(dict(number, value=float(value), label=label[:300]))
    elif isinstance(value, dict):
        inner = context + " " + _siblings(value)
        for name, part in value.items():
            _walk(part, (path + "." + str(name)).lstrip("."), inner, numbers)
    elif isinstance(value, list):
        for position, part in enumerate(value):
            _walk(part, (path + "." + str(position)).lstrip("."), context, numbers)


def _siblings(table: Dict[str, Any]) -> str:
    """The texts and whole numbers of an object, which name the row that its other numbers belong to."""
    words = []
    for name, value in table.items():
        if isinstance(value, str) and len(value) <= 60:
            words.append(value)
        elif isinstance(value, int) and not isinstance(value, bool):
            words.append("%s %d" % (name, value))
    return " ".join(words[:6])


def _csv_numbers(text: str, delimiter: str) -> List[Any]:
    rows = list(csv.reader(io.StringIO(text), delimiter=delimiter))
    if len(rows) < 2:
        return []
    header = rows[0]
    numbers: List[Any] = []
    counts: Dict[str, Any] = {}
    for row in rows[1:]:
        name = " ".join(cell for cell in row if as_number(cell) is None)[:80]
        for column, cell in enumerate(row[: len(header)]):
            value = as_number(cell)
            if value is None or value != value:
                continue
            key = name + "|" + header[column]
            occurrence = counts.get(key, 0)
            counts[key] = occurrence + 1
            label = " ".join(
                (name + " " + _small_numbers(header, row, column) + " " + header[column]).split()
            )
            number = {"key": key, "occurrence": occurrence, "position": 0, "text": cell.strip()}
            numbers.append(dict(number, value=value, label=label[:300]))
        if len(numbers) > MOST_NUMBERS:
            break
    return numbers


def _small_numbers(header: List[Any], row: List[Any], column: int) -> str:
    """The whole numbers of a row, with their columns: they name it as texts do."""
    pairs = [(header[at], cell) for at, cell in enumerate(row[: len(header)]) if at != column]
    return " ".join("%s %s" % (name, cell) for name, cell in pairs if re.match(r"-?\d+$", cell.strip()))[:80]
