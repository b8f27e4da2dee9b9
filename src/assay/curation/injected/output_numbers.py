"""Finds the numbers that a run prints and writes, each at an address that another run has too.

An address is the source (`stdout` or a file), a key, the occurrence of this key, and the position in it. The
key of a printed number is its line with `#` in place of every number, so that a line which another run prints
earlier or later keeps its key. A printed table gives each number the names of its row and column. A copy of
this file is part of every curated solution.
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
_BAR = re.compile(r"[|\u2502\u2503]")
_GAP = re.compile(r"\t+| {2,}")


def numbers_of(source: str, text: str) -> List[Any]:
    """List the numbers of one output as dictionaries: their address, text, value, label and name."""
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
    heading, table = "", _PrintedTable()
    for line in re.split(r"[\r\n]+", text):
        plain = re.sub(r"\x1b\[[0-9;]*m", "", line)
        matches = [match for match in NUMBER.finditer(plain) if as_number(match.group()) is not None]
        key = " ".join(_with_marks(plain, matches).split())
        occurrence = counts.get(key, 0)
        counts[key] = occurrence + 1
        table.read(plain, heading)
        for position, match in enumerate(matches):
            number = {"key": key, "occurrence": occurrence, "position": position, "text": match.group()}
            names = table.names_at(match) or _line_names(plain, heading, matches, position)
            numbers.append(dict(number, value=as_number(match.group()), **names))
        if plain.strip() and not plain.startswith((" ", "\t")):
            heading = plain.strip()[:120]
        if len(numbers) > MOST_NUMBERS:
            break
    return numbers


def _line_names(line: str, heading: str, matches: List[Any], position: int) -> Dict[str, str]:
    """The words around a number as its label, and those right before it as its name."""
    match = matches[position]
    before = " ".join(part for part in (heading, line[: match.start()].strip()) if part)
    label = " ".join((before + " " + line[match.end() :].strip()[:40]).split())[:300]
    near = line[matches[position - 1].end() if position else 0 : match.start()]
    return {"label": label, "name": " ".join(near.split())[:120] if re.search(r"[^\W\d_]", near) else label}


class _PrintedTable:
    """The table that is being printed: lines with as many cells as the line of words above them."""

    def __init__(self) -> None:
        self._header: List[str] = []
        self._heading = ""
        self._line = ""
        self._spans: List[Any] = []

    def read(self, line: str, heading: str) -> None:
        """Read the next line; one with another number of cells ends the table and may begin a new one."""
        if not re.search(r"\w", line):
            if not line.strip():
                self._header = []
            self._spans = []
            return
        spans = _cell_spans(line)
        missing = len(spans) - len(self._header)
        # The column with the names of the rows often has no heading.
        if self._header and missing == 1 and not _BAR.search(line):
            self._header = ["", *self._header]
        elif missing:
            words = [line[start:end] for start, end in spans]
            is_header = len(words) > 1 and not any(_has_number(word, line) for word in words)
            self._header, self._heading = (words if is_header else []), heading
            spans = []
        self._line, self._spans = line, spans if self._header else []

    def names_at(self, match: Any) -> Optional[Dict[str, str]]:
        """The names of a number: words of its row, its first cell, and the heading of its column."""
        column = next(
            (at for at, (start, end) in enumerate(self._spans) if start <= match.start() < end), None
        )
        if column is None:
            return None
        cells = [self._line[start:end].strip() for start, end in self._spans]
        words = [
            self._header[0] + " " + cell if at == 0 and as_number(cell) is not None else cell
            for at, cell in enumerate(cells)
            if at != column and (at == 0 or NUMBER.sub("", cell) == cell)
        ]
        name = " ".join(" ".join([*words, self._header[column]]).split())
        return {"label": " ".join((self._heading + " " + name).split())[:300], "name": name[:300]}


def _has_number(cell: str, line: str) -> bool:
    """Whether a cell is a number; without bars, a heading has no number in it at all."""
    if _BAR.search(line):
        return as_number(cell.strip("* %")) is not None
    return any(as_number(match.group()) is not None for match in NUMBER.finditer(cell))


def _cell_spans(line: str) -> List[Any]:
    """Where the cells of a line begin and end: between bars, or between gaps of two spaces."""
    mark = _BAR if _BAR.search(line) else _GAP
    first, last = len(line) - len(line.lstrip()), len(line.rstrip())
    spans, start = [], first
    for match in mark.finditer(line, first, last):
        spans.append((start, match.start()))
        start = match.end()
    spans.append((start, last))
    if mark is _BAR:
        spans = [
            span
            for at, span in enumerate(spans)
            if 0 < at < len(spans) - 1 or line[span[0] : span[1]].strip()
        ]
    return spans


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
            numbers.append(dict(number, value=float(value), label=label[:300], name=label[:300]))
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
            numbers.append(dict(number, value=value, label=label[:300], name=label[:300]))
        if len(numbers) > MOST_NUMBERS:
            break
    return numbers


def _small_numbers(header: List[Any], row: List[Any], column: int) -> str:
    """The whole numbers of a row, with their columns: they name it as texts do."""
    pairs = [(header[at], cell) for at, cell in enumerate(row[: len(header)]) if at != column]
    return " ".join("%s %s" % (name, cell) for name, cell in pairs if re.match(r"-?\d+$", cell.strip()))[:80]
