"""What the agent gets: the repository without the experiment, the paper, and files that show its numbers.

What it does not cover: a result in words, in a picture that the run opens, or in a file that is packed.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Mapping, Sequence
from pathlib import PurePosixPath
from typing import NamedTuple

from assay.curation.drafting.model import DraftMetric, RemovedFile
from assay.curation.drafting.unread_results import without_unread_results
from assay.curation.labels import label_words
from assay.grading.execution_trace import parse
from assay.masking.leaks.sources import FunctionPlace, all_definitions
from assay.masking.leaks.twins import find_twins

_PICTURES = (".png", ".jpg", ".jpeg", ".gif", ".pdf", ".svg", ".eps", ".ps")
_PAPER = (".tex", ".bib", ".bbl", ".aux", ".log", ".out", ".blg", ".cls", ".sty", ".bst")
_LINE_CLEANED = (".md", ".rst", ".txt")
_LEAST_DIGITS = 3
CLEANED = "taken out:"
"""Begins the reason of a file that stays without some of its lines."""
MOST_SEARCHED = 4_000_000
"""Bytes of one file that are searched for numbers; a longer file is data."""


class ResultRow(NamedTuple):
    """One row of a table: the words that name it, and its numbers as they are printed."""

    words: frozenset[str]
    printed: tuple[str, ...]


def result_rows(metrics: Sequence[DraftMetric]) -> list[ResultRow]:
    """Return the rows of a draft's table; a number of one digit shows nothing."""
    labels = dict.fromkeys(metric.row_label for metric in metrics)
    rows = []
    for label in labels:
        printed = [metric.printed for metric in metrics if metric.row_label == label]
        rows.append(ResultRow(label_words(label), tuple(text for text in printed if _digits(text) >= 2)))
    return rows


def given_files(
    files: Mapping[str, bytes],
    scripts: Collection[str],
    written: Collection[str],
    opened: Collection[str],
    rows: Sequence[ResultRow],
    values: Sequence[float],
    readers: Mapping[str, bytes] | None = None,
) -> tuple[dict[str, bytes], list[RemovedFile], list[str]]:
    """Return the agent's files, what was removed with the reason, and the leaks that stay.

    `readers` are the files that may read a constant of a module, if they are more than `files`.
    """
    removed: dict[str, str] = {}
    printed = dict.fromkeys(text for row in rows for text in row.printed)
    informative_texts = [text for text in printed if _digits(text) >= _LEAST_DIGITS]
    spellings = [
        *informative_texts,
        *(f"{value:.6g}" for value in values if _digits(f"{value:.6g}") >= _LEAST_DIGITS),
    ]
    kept_files: dict[str, bytes] = {}
    leaks: list[str] = []
    for path, data in files.items():
        suffix = PurePosixPath(path).suffix.lower()
        reason = _reason(path, suffix, scripts, written, opened)
        hits = [] if reason else _result_lines(data, spellings, rows)
        if hits and (suffix in _LINE_CLEANED or len(hits) >= min(2, len(rows))):
            if suffix in _LINE_CLEANED:
                data = _without_lines(data, hits)
                removed[path] = f"{CLEANED} {len(hits)} lines with its numbers"
            elif path not in opened:
                reason = (
                    f"it has {len(hits)} lines with results, and the run does not open it: {hits[0][:80]}"
                )
            else:
                cleaned = without_unread_results(path, data, hits, readers or files)
                if any(
                    _shows(line, spellings, rows) for line in cleaned.decode(errors="replace").split("\n")
                ):
                    leaks.append(f"{path}, which the run opens, has results: {hits[0][:80]}")
                else:
                    data = cleaned
                    removed[path] = (
                        f"{CLEANED} {len(hits)} lines with its numbers, which the run does not read"
                    )
        if reason:
            removed[path] = reason
        else:
            kept_files[path] = data
    for path, reason in _twins(files, scripts, opened, kept_files).items():
        removed[path] = reason
        del kept_files[path]
    return (
        kept_files,
        [RemovedFile(path=path, reason=reason) for path, reason in sorted(removed.items())],
        leaks,
    )


def _reason(
    path: str, suffix: str, scripts: Collection[str], written: Collection[str], opened: Collection[str]
) -> str:
    if path in scripts:
        return "it is the experiment"
    if path in written:
        return "the run writes it, so it would show the results"
    if path in opened:
        return ""
    if suffix in _PAPER:
        return "it is a part of a paper"
    if suffix in _PICTURES:
        return "a picture or a PDF that may show results, and the run does not open it"
    if suffix == ".ipynb":
        return "a notebook that may show results, and the run does not open it"
    return ""


def _digits(text: str) -> int:
    return len(re.sub(r"[^\d]", "", text.partition("e")[0]).lstrip("0"))


def _result_lines(data: bytes, spellings: Sequence[str], rows: Sequence[ResultRow]) -> list[str]:
    """The lines of a text file that show a result of the table."""
    if len(data) > MOST_SEARCHED or b"\0" in data[:4096]:
        return []
    return [line for line in data.decode(errors="replace").split("\n") if _shows(line, spellings, rows)]


def _shows(line: str, spellings: Sequence[str], rows: Sequence[ResultRow]) -> bool:
    """Whether a line has an informative number, several numbers of a row, or one beside the row's name."""
    if not any(character.isdigit() for character in line):
        return False
    if any(spelling in line and _has_number(line, spelling) for spelling in spellings):
        return True
    for row in rows:
        count = sum(_has_number(line, text) for text in row.printed)
        if count >= 2 or (count and row.words and row.words <= label_words(line)):
            return True
    return False


def _has_number(line: str, number: str) -> bool:
    return number in line and re.search(rf"(?<![\d.]){re.escape(number)}(?!\d|\.\d)", line) is not None


def _without_lines(data: bytes, hits: Sequence[str]) -> bytes:
    dropped = set(hits)
    return "\n".join(
        line for line in data.decode(errors="replace").split("\n") if line not in dropped
    ).encode()


def _twins(
    files: Mapping[str, bytes],
    scripts: Collection[str],
    opened: Collection[str],
    kept_files: Mapping[str, bytes],
) -> dict[str, str]:
    """Kept files that hold a near copy of a function of the experiment and that the run does not open."""
    sources = {
        path: data
        for path, data in files.items()
        if path.endswith(".py") and (path in kept_files or path in scripts)
    }
    places = [
        definition.place
        for definition in all_definitions({path: sources[path] for path in scripts if path in sources})
    ]
    copies: dict[str, str] = {}
    for twin in find_twins(_worth_searching(places, sources), sources) if places else []:
        path = re.split("::|!", twin.where)[0]
        if path in kept_files and path not in opened:
            copies[path] = f"it has a copy of {twin.place.function} ({twin.alike:.0%})"
    return copies


def _worth_searching(places: Sequence[FunctionPlace], sources: Mapping[str, bytes]) -> list[FunctionPlace]:
    """The functions with at least five statements: a shorter one is found everywhere."""
    long_functions = []
    for place in places:
        tree = parse(sources[place.file].decode(errors="replace"))
        name = place.function.rpartition(".")[2]
        for node in ast.walk(tree) if tree is not None else ():
            if isinstance(node, ast.FunctionDef) and node.name == name:
                if sum(isinstance(child, ast.stmt) for child in ast.walk(node)) > 5:
                    long_functions.append(place)
                break
    return long_functions
