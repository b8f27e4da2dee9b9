"""Takes results out of a module that the run needs: comments, and tables that no other code reads."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Mapping, Sequence

from assay.grading.execution_trace import parse


def without_lines(data: bytes, numbers: Collection[int]) -> bytes:
    """Return a text without the lines of these numbers, counted from 1."""
    lines = data.decode(errors="replace").split("\n")
    return "\n".join(line for number, line in enumerate(lines, 1) if number not in numbers).encode()


def unread_result_lines(path: str, data: bytes, hits: Sequence[str], files: Mapping[str, bytes]) -> set[int]:
    """Return the numbers of the lines of comments and unread constants of a module that have these lines.

    A test may read such a constant: it compares with the results, so it is no part of the experiment.
    """
    source = data.decode(errors="replace")
    tree = parse(source) if path.endswith(".py") else None
    if tree is None:
        return set()
    lines = source.split("\n")
    result_lines = set(hits)
    dropped = {
        number
        for number, line in enumerate(lines, 1)
        if line in result_lines and line.lstrip().startswith("#")
    }
    unread_names = _unread_constants(path, source, tree, files)
    has_results = {
        name
        for name, span in unread_names.items()
        if any(lines[number - 1] in result_lines for number in span)
    }
    for name in has_results | _readers_of(has_results, unread_names, lines):
        dropped |= set(unread_names[name])
    return dropped


def _unread_constants(
    path: str, source: str, tree: ast.Module, files: Mapping[str, bytes]
) -> dict[str, range]:
    """The constants of a module, with their lines, that no code reads but other such constants and tests."""
    spans = {
        name: range(statement.lineno, (statement.end_lineno or statement.lineno) + 1)
        for statement in tree.body
        if (name := _constant_name(statement)) is not None
    }
    other_texts = [
        text.decode(errors="replace")
        for name, text in files.items()
        if name != path and name.endswith(".py") and not _is_test(name.split("/"))
    ]
    lines = source.split("\n")
    while True:
        own_lines = {number for span in spans.values() for number in span}
        other_lines = "\n".join(line for number, line in enumerate(lines, 1) if number not in own_lines)
        read = {name for name in spans if any(_names(name, text) for text in (other_lines, *other_texts))}
        if not read:
            return spans
        spans = {name: span for name, span in spans.items() if name not in read}


def _readers_of(names: Collection[str], spans: Mapping[str, range], lines: Sequence[str]) -> set[str]:
    """The constants that are made of these constants, directly or not."""
    readers: set[str] = set()
    while True:
        more = {
            name
            for name, span in spans.items()
            if name not in readers
            and name not in names
            and any(_names(used, lines[number - 1]) for used in {*names, *readers} for number in span)
        }
        if not more:
            return readers
        readers |= more


def _constant_name(statement: ast.stmt) -> str | None:
    """The name of a constant that a statement makes without calling anything."""
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
        target: ast.expr = statement.targets[0]
    elif isinstance(statement, ast.AnnAssign):
        target = statement.target
    else:
        return None
    value = statement.value
    calls = value is None or any(isinstance(node, ast.Call) for node in ast.walk(value))
    return target.id if isinstance(target, ast.Name) and not calls else None


def _names(name: str, text: str) -> bool:
    return re.search(rf"\b{re.escape(name)}\b", text) is not None


def _is_test(parts: Collection[str]) -> bool:
    return any(part in ("test", "tests") or part.startswith("test_") for part in parts)
