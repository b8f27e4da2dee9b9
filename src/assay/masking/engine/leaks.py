"""Finds comments and docstrings elsewhere that reveal a masked body, and removes them on request.

What it does not cover: code that is nearly equal to the masked body, files other than Python source, and
prose that paraphrases the body.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from assay.masking.engine.extents import measure
from assay.masking.engine.functions import find_definitions
from assay.masking.engine.masked_source import MaskedSource, replace_pieces
from assay.masking.engine.parsing import SourceText, parse, read
from assay.masking.engine.prose import Prose, find_prose
from assay.masking.engine.stub import piece

Reason = Literal["repeats the body", "call site", "names it"]

_TOKEN = re.compile(r"\w+|[^\w\s]")
_WORD = re.compile(r"[^\W\d]\w*")
_COMMENT_SIGN = re.compile(r"^[ \t\f]*#+", re.MULTILINE)
_RUN = 6
"""This many equal tokens in a row, with three different words, are no coincidence."""
_REPLACEMENTS = {"comment": "# (removed)", "docstring": '"""(removed)"""'}


@dataclass(frozen=True, slots=True)
class Leak:
    """One piece of prose that reveals a masked function; offsets count the file's own bytes."""

    name: str
    reason: Reason
    what: Literal["comment", "docstring"]
    start: int
    end: int
    line: int
    text: str


def find_leaks(source: bytes, bodies: Mapping[str, str]) -> list[Leak]:
    """Find prose in a source that reveals masked bodies (`MaskedSource.bodies()`), with the strongest reason.

    A masked function's own docstring and stub are not leaks: they stay on purpose.
    """
    text = read(source)
    return [_leak(text, *leak_parts) for leak_parts in _leaking_prose(text, bodies)]


def scrub(
    source: bytes,
    bodies: Mapping[str, str],
    *,
    reasons: Collection[Reason] = ("repeats the body", "call site"),
) -> MaskedSource:
    """Replace prose that reveals bodies by a note of its removal; like a mask, this can be undone."""
    text = read(source)
    pieces = []
    for item, name, reason in _leaking_prose(text, bodies):
        if reason in reasons:
            pieces.append(piece(source, text, name, item.start, item.end, _REPLACEMENTS[item.what]))
    return replace_pieces(source, pieces, text.encoding)


def _leak(text: SourceText, item: Prose, name: str, reason: Reason) -> Leak:
    start, end = text.source_offset(item.start), text.source_offset(item.end)
    return Leak(name, reason, item.what, start, end, item.line, item.text)


def _leaking_prose(text: SourceText, bodies: Mapping[str, str]) -> Iterator[tuple[Prose, str, Reason]]:
    tree = parse(text)
    stubs = list(_stubs(text, tree))
    runs = {name: _runs(body) for name, body in bodies.items()}
    calls = list(_calls(tree, bodies))
    for item in find_prose(text, tree):
        if item.text == _REPLACEMENTS[item.what] or any(start <= item.start < end for start, end in stubs):
            continue
        item_runs = _runs(_COMMENT_SIGN.sub("", item.text))
        if name := next((name for name in bodies if runs[name] & item_runs), None):
            yield item, name, "repeats the body"
        elif name := next((name for name, first, last in calls if _is_beside(item, first, last)), None):
            yield item, name, "call site"
        elif name := next((name for name in bodies if _mentions(item.text, name)), None):
            yield item, name, "names it"


def _stubs(text: SourceText, tree: ast.Module) -> Iterator[tuple[int, int]]:
    """Yield the positions of bodies that are already masked."""
    for definition in find_definitions(tree).definitions:
        match definition.node.body[-1]:
            case ast.Raise(exc=ast.Call(args=[ast.Constant(value=str(words))])):
                if words == f"masked: {definition.name}":
                    extent = measure(text, definition.node)
                    yield extent.body_start, extent.end


def _runs(words: str) -> set[tuple[str, ...]]:
    tokens = _TOKEN.findall(words)
    runs = (tuple(tokens[position : position + _RUN]) for position in range(len(tokens) - _RUN + 1))
    return {run for run in runs if len({token for token in run if _WORD.fullmatch(token)}) >= 3}


def _call_name(name: str) -> str | None:
    """Return the last name in a call of the function, if calls contain one."""
    parts = [part.partition("#")[0] for part in name.split(".")]
    if parts[-1] == "__init__" and len(parts) > 1:
        return parts[-2]
    return None if parts[-1].startswith("__") else parts[-1]


def _calls(tree: ast.Module, bodies: Mapping[str, str]) -> Iterator[tuple[str, int, int]]:
    """Yield function, first line and last line of each statement that calls a masked function."""
    names_by_call: dict[str, str] = {}
    for name in bodies:
        if call_name := _call_name(name):
            names_by_call.setdefault(call_name, name)
    for statement in ast.walk(tree):
        if not isinstance(statement, ast.stmt):
            continue
        for child in ast.iter_child_nodes(statement):
            if isinstance(child, ast.stmt | ast.ExceptHandler | ast.match_case):
                continue
            for node in ast.walk(child):
                match node:
                    case ast.Call(func=ast.Name(id=called) | ast.Attribute(attr=called)) if (
                        called in names_by_call
                    ):
                        yield names_by_call[called], statement.lineno, node.end_lineno or node.lineno


def _is_beside(item: Prose, first: int, last: int) -> bool:
    if item.what == "docstring":
        return False
    return first <= item.line <= last or (item.alone and item.end_line + 1 == first)


def _mentions(words: str, name: str) -> bool:
    call_name = _call_name(name)
    if call_name is None:
        return False
    if "_" in call_name or not call_name.islower():
        return re.search(rf"\b{re.escape(call_name)}\b", words) is not None
    return re.search(rf"(?:[`.]{re.escape(call_name)}\b|\b{re.escape(call_name)}\()", words) is not None
