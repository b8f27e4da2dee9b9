"""Removes what reveals the removed files: commands, their contents, the paper's words, outcomes.

It cleans documents and notebooks only, line by line, by fixed rules. It does not cover comments in code,
pictures, or the same content in other words.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from assay.benchmarks.expbench.result_words import DIRECTION

Reason = Literal["command", "contents", "paper", "outcome"]

REMOVED = "(removed)"
DOCUMENTS = (".md", ".markdown", ".rst", ".html", ".htm", ".tex", ".ipynb")
RUN = 3
"""This many consecutive lines of a removed file count as its contents, not as a coincidence."""
WORDS = 10
"""This many consecutive words of the abstract count as the paper's text."""
OUTCOME_WORDS = 8
"""This many consecutive words of the outcome, with a word that points in a direction, state the outcome."""
_LEAST = 12
_COMMAND = re.compile(r"(?:^|[\s`$>(])(?:python3?|bash|sh|torchrun|deepspeed|accelerate|source|\./)\b|\./")


@dataclass(frozen=True)
class Telltale:
    """What an agent must not be able to read in a workspace."""

    removed: Mapping[str, bytes]
    """The files that were removed."""
    abstract: str
    decimals: Collection[str]
    """Decimals of the outcome."""
    outcome: str = ""


def scrub(files: Mapping[str, bytes], telltale: Telltale) -> tuple[dict[str, bytes], list[str]]:
    """Return the files of the workspace, and a note for each file that was changed or left out."""
    finder = _Finder(telltale)
    remaining: dict[str, bytes] = {}
    notes: list[str] = []
    for path, data in files.items():
        if data in finder.contents:
            notes.append(f"{path}: left out, a copy of a removed file")
        elif path.casefold().endswith(".pdf"):
            notes.append(f"{path}: left out, it may be the paper")
        elif not _is_document(path):
            remaining[path] = data
        else:
            remaining[path], reasons = _scrub_document(path, data, finder)
            if reasons:
                counts = ", ".join(f"{count} {reason}" for reason, count in sorted(reasons.items()))
                notes.append(f"{path}: lines removed ({counts})")
    return remaining, notes


def _is_document(path: str) -> bool:
    name = path.rpartition("/")[2].casefold()
    folders = path.casefold().split("/")[:-1]
    if name.endswith(".txt"):
        return not name.startswith("requirements") and (name.startswith("readme") or "docs" in folders)
    return name.endswith(DOCUMENTS) or name.startswith("readme")


class _Finder:
    """Finds the lines of a document that reveal too much."""

    def __init__(self, telltale: Telltale) -> None:
        self.contents = {data for data in telltale.removed.values() if len(data) > 200}
        self._lines = {
            line.strip()
            for path, data in telltale.removed.items()
            for line in _source_lines(path, data)
            if len(line.strip()) >= _LEAST
        }
        self._paths = [_word(form) for path in telltale.removed for form in _forms(path)]
        self._names = [_word(path.rpartition("/")[2]) for path in telltale.removed]
        self._abstract = _runs(telltale.abstract, WORDS)
        self._outcome = {
            run for run in _runs(telltale.outcome, OUTCOME_WORDS) if DIRECTION.search(" ".join(run))
        }
        self._decimals = [_word(decimal) for decimal in telltale.decimals]

    def reasons(self, lines: Sequence[str]) -> dict[int, Reason]:
        """Return line number → why the line must be removed."""
        reason_by_line: dict[int, Reason] = dict.fromkeys(self._repeated(lines), "contents")
        for number, line in enumerate(lines):
            if any(word.search(line) for word in self._paths) or (
                _COMMAND.search(line) and any(word.search(line) for word in self._names)
            ):
                reason_by_line[number] = "command"
            elif self._abstract & _runs(line, WORDS):
                reason_by_line[number] = "paper"
            elif self._outcome & _runs(line, OUTCOME_WORDS) or any(
                word.search(line) for word in self._decimals
            ):
                reason_by_line.setdefault(number, "outcome")
        return reason_by_line

    def _repeated(self, lines: Sequence[str]) -> Iterable[int]:
        run: list[int] = []
        for number, line in enumerate([*lines, "\0"]):
            if line.strip() in self._lines:
                run.append(number)
            elif line.strip():
                if len(run) >= RUN:
                    yield from run
                run = []


def _runs(text: str, length: int) -> set[tuple[str, ...]]:
    """Return every run of so many consecutive words."""
    words = re.findall(r"\w+", text.casefold())
    return {tuple(words[at : at + length]) for at in range(len(words) - length + 1)}


def _forms(path: str) -> Iterable[str]:
    """Yield the names of a file in a command: its path and its module."""
    if "/" in path:
        yield path
        if path.endswith(".py"):
            yield path.removesuffix(".py").replace("/", ".")


def _word(text: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w.]){re.escape(text)}(?![\w])(?!\.\d)")


def _source_lines(path: str, data: bytes) -> list[str]:
    text = data.decode("utf-8", errors="replace")
    if path.endswith(".ipynb") and (cells := _cells(text)) is not None:
        return [line for cell in cells for line in _lines_of(cell.get("source"))]
    return text.splitlines()


def _scrub_document(path: str, data: bytes, finder: _Finder) -> tuple[bytes, Counter[Reason]]:
    text = data.decode("utf-8", errors="replace")
    if path.endswith(".ipynb"):
        return _scrub_notebook(text, data, finder)
    lines = text.splitlines(keepends=True)
    reasons = finder.reasons(lines)
    if not reasons:
        return data, Counter()
    return "".join(_cleaned(lines, reasons, REMOVED)).encode(), Counter(reasons.values())


def _scrub_notebook(text: str, data: bytes, finder: _Finder) -> tuple[bytes, Counter[Reason]]:
    if _cells(text) is None:
        return data, Counter()
    notebook = json.loads(text)
    counted: Counter[Reason] = Counter()
    for cell in notebook["cells"]:
        sign = f"# {REMOVED}" if cell.get("cell_type") == "code" else REMOVED
        for holder, key in [(cell, "source"), *_outputs(cell)]:
            lines = _lines_of(holder.get(key))
            reasons = finder.reasons(lines)
            if reasons:
                holder[key] = _cleaned(lines, reasons, sign if holder is cell else REMOVED)
                counted.update(reasons.values())
    return (json.dumps(notebook, indent=1).encode() + b"\n", counted) if counted else (data, counted)


def _cells(text: str) -> list[dict[str, Any]] | None:
    """Return the cells of a notebook; None if the file is not a notebook despite its name."""
    try:
        cells = json.loads(text)["cells"]
    except (ValueError, KeyError, TypeError):
        return None
    return cells if isinstance(cells, list) and all(isinstance(cell, dict) for cell in cells) else None


def _outputs(cell: dict[str, Any]) -> Iterable[tuple[dict[str, Any], str]]:
    for output in cell.get("outputs") or []:
        yield output, "text"
        for key in ("text/plain", "text/html", "text/markdown"):
            if key in (output.get("data") or {}):
                yield output["data"], key


def _lines_of(source: object) -> list[str]:
    text = "".join(map(str, source)) if isinstance(source, list) else str(source or "")
    return text.splitlines(keepends=True)


def _cleaned(lines: Sequence[str], reasons: Mapping[int, Reason], sign: str) -> list[str]:
    ends = [line[len(line.rstrip("\r\n")) :] for line in lines]
    return [sign + ends[number] if number in reasons else line for number, line in enumerate(lines)]
