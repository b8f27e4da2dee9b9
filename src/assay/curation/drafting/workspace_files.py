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
from assay.curation.drafting.stored_outputs import is_stored_output, repeated_lines, with_whole_tables
from assay.curation.drafting.unread_results import unread_result_lines, without_lines
from assay.curation.labels import label_words
from assay.grading.execution_trace import parse
from assay.masking.leaks.body_text import MIN_LINE_LENGTH, MIN_LINE_SHARE, squeeze
from assay.masking.leaks.sources import FunctionPlace, all_definitions
from assay.masking.leaks.twins import find_twins

_PICTURES = (".png", ".jpg", ".jpeg", ".gif", ".pdf", ".svg", ".eps", ".ps")
_PAPER = (".tex", ".bib", ".bbl", ".aux", ".log", ".out", ".blg", ".cls", ".sty", ".bst")
_LINE_CLEANED = (".md", ".rst", ".txt")
_LEAST_DIGITS = 3
_LEAST_SCRIPT_LINES = 4
"""Long lines of an experiment from which a copy of it can be told."""
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


class _Searched(NamedTuple):
    """What the files of one task are searched for."""

    spellings: Sequence[str]
    """Informative numbers."""
    rows: Sequence[ResultRow]
    printed: Collection[str]
    """The lines that the run prints and writes."""

    def result_lines(self, data: bytes) -> set[int]:
        """The numbers of the lines of a text file that show a result of the table."""
        return {
            number
            for number, line in enumerate(_lines_of(data), 1)
            if _shows(line, self.spellings, self.rows)
        }


class _Cleaned(NamedTuple):
    """What becomes of one file: a reason to take it out, or lines of it, or a leak that stays."""

    reason: str = ""
    lines: Collection[int] = ()
    leak: str = ""


def given_files(
    files: Mapping[str, bytes],
    scripts: Collection[str],
    written: Collection[str],
    opened: Collection[str],
    rows: Sequence[ResultRow],
    values: Sequence[float],
    printed: Collection[str],
) -> tuple[dict[str, bytes], list[RemovedFile], list[str]]:
    """Return the agent's files, what was removed with the reason, and the leaks that stay."""
    texts = dict.fromkeys(text for row in rows for text in row.printed)
    spellings = [
        text for text in (*texts, *(f"{value:.6g}" for value in values)) if _digits(text) >= _LEAST_DIGITS
    ]
    searched = _Searched(spellings, rows, printed)
    kept_files: dict[str, bytes] = {}
    removed: dict[str, RemovedFile] = {}
    leaks: list[str] = []
    for path, data in files.items():
        reason = _reason(path, scripts, written, opened)
        cleaned = _Cleaned(reason) if reason else _cleaned(path, data, path in opened, searched, files)
        if cleaned.reason:
            lines = sorted(cleaned.lines)
            removed[path] = RemovedFile(path=path, reason=cleaned.reason, lines=lines)
        if not cleaned.reason or cleaned.lines:
            kept_files[path] = without_lines(data, cleaned.lines) if cleaned.lines else data
        leaks += [cleaned.leak] if cleaned.leak else []
    for path, reason in _twins(files, scripts, opened, kept_files).items():
        removed[path] = RemovedFile(path=path, reason=reason)
        del kept_files[path]
    for path, reason in _script_copies(files, scripts, kept_files).items():
        if path in opened:
            leaks.append(f"{path}, which the run opens, {reason}")
        else:
            removed[path] = RemovedFile(path=path, reason=f"it {reason}")
            del kept_files[path]
    return kept_files, [entry for _, entry in sorted(removed.items())], leaks


def _cleaned(
    path: str, data: bytes, is_opened: bool, searched: _Searched, files: Mapping[str, bytes]
) -> _Cleaned:
    """Decide what becomes of a file that shows results."""
    lines = _lines_of(data)
    if not is_opened and is_stored_output(lines, searched.printed):
        return _Cleaned("most of it is what the run prints")
    hits = searched.result_lines(data)
    if PurePosixPath(path).suffix.lower() in _LINE_CLEANED:
        # A run often prints lines of what it reads.
        repeated = set() if is_opened else repeated_lines(lines, searched.printed)
        numbers = with_whole_tables(lines, hits | repeated)
        return (
            _Cleaned(f"{len(numbers)} lines with its results are taken out", numbers)
            if numbers
            else _Cleaned()
        )
    if not hits or len(hits) < min(2, len(searched.rows)):
        return _Cleaned()
    first = lines[min(hits) - 1][:80]
    if not is_opened:
        return _Cleaned(f"it has {len(hits)} lines with results, and the run does not open it: {first}")
    numbers = unread_result_lines(path, data, [lines[hit - 1] for hit in hits], files)
    if searched.result_lines(without_lines(data, numbers)):
        return _Cleaned(leak=f"{path}, which the run opens, has results: {first}")
    return _Cleaned(
        f"{len(numbers)} lines with its results, which the run does not read, are taken out", numbers
    )


def _lines_of(data: bytes) -> list[str]:
    """The lines of a text file; none if it is long or no text."""
    if len(data) > MOST_SEARCHED or b"\0" in data[:4096]:
        return []
    return data.decode(errors="replace").split("\n")


def _reason(path: str, scripts: Collection[str], written: Collection[str], opened: Collection[str]) -> str:
    suffix = PurePosixPath(path).suffix.lower()
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


def _script_copies(
    files: Mapping[str, bytes], scripts: Collection[str], kept_files: Mapping[str, bytes]
) -> dict[str, str]:
    """Kept files of any kind, documents among them, that have most of the long lines of the experiment."""
    copies: dict[str, str] = {}
    texts = {path: squeeze("\n".join(_lines_of(data))) for path, data in kept_files.items()}
    for script in sorted(scripts):
        lines = {squeeze(line) for line in _lines_of(files.get(script, b""))}
        long_lines = [line for line in lines if len(line) >= MIN_LINE_LENGTH]
        if len(long_lines) < _LEAST_SCRIPT_LINES:
            continue
        for path, text in texts.items():
            share = sum(line in text for line in long_lines) / len(long_lines)
            if share >= MIN_LINE_SHARE:
                copies.setdefault(path, f"has {share:.0%} of the lines of {script}")
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
