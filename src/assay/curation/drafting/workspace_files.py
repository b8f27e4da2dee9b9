"""What the agent gets: the repository without the experiment, the paper, and files that show its numbers.

What it does not cover: a result in words, in a picture that the run opens, or in a file that is packed.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Mapping, Sequence
from pathlib import PurePosixPath

from assay.curation.drafting.model import RemovedFile
from assay.grading.execution_trace import parse
from assay.masking.leaks.sources import FunctionPlace, all_definitions
from assay.masking.leaks.twins import find_twins

_PICTURES = (".png", ".jpg", ".jpeg", ".gif", ".pdf", ".svg", ".eps", ".ps")
_PAPER = (".tex", ".bib", ".bbl", ".aux", ".log", ".out", ".blg", ".cls", ".sty", ".bst")
_SOURCES = (".py", ".sh", ".toml", ".cfg", ".yaml", ".yml", ".ini", ".jl", ".r", ".c", ".cpp")
_LINE_CLEANED = (".md", ".rst", ".txt")
_LEAST_DIGITS = 3
MOST_SEARCHED = 4_000_000
"""Bytes of one file that are searched for numbers; a longer file is data."""


def given_files(
    files: Mapping[str, bytes],
    scripts: Collection[str],
    written: Collection[str],
    opened: Collection[str],
    printed: Sequence[str],
    values: Sequence[float],
) -> tuple[dict[str, bytes], list[RemovedFile], list[str]]:
    """Return the agent's files, what was removed with the reason, and the leaks that stay."""
    removed: dict[str, str] = {}
    telling = [text for text in dict.fromkeys(printed) if _digits(text) >= _LEAST_DIGITS]
    spellings = [*telling, *(f"{value:.6g}" for value in values if _digits(f"{value:.6g}") >= _LEAST_DIGITS)]
    kept_files: dict[str, bytes] = {}
    leaks: list[str] = []
    for path, data in files.items():
        suffix = PurePosixPath(path).suffix.lower()
        reason = _reason(path, suffix, scripts, written, opened)
        hits = [] if reason else _hits(data, spellings)
        if not reason and len(hits) >= min(2, len(telling)) and hits:
            if suffix in _LINE_CLEANED:
                data = _without_lines(data, hits)
                removed[path] = f"lines with {len(hits)} of the numbers were taken out"
            elif path in opened:
                leaks.append(f"{path} has the numbers {', '.join(hits[:4])}, and the run opens it")
            elif suffix in _SOURCES:
                leaks.append(f"{path} has the numbers {', '.join(hits[:4])} in its code")
            else:
                reason = f"it has the numbers {', '.join(hits[:4])}"
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


def _hits(data: bytes, spellings: Sequence[str]) -> list[str]:
    if len(data) > MOST_SEARCHED or b"\0" in data[:4096]:
        return []
    text = data.decode(errors="replace")
    return [
        spelling
        for spelling in dict.fromkeys(spellings)
        if spelling in text and re.search(rf"(?<![\d.]){re.escape(spelling)}(?!\d)", text)
    ]


def _without_lines(data: bytes, hits: Sequence[str]) -> bytes:
    lines = data.decode(errors="replace").split("\n")
    return "\n".join(line for line in lines if not any(hit in line for hit in hits)).encode()


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
