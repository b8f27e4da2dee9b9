"""Comments and docstrings elsewhere that give a masked body away: found, reported, and on request removed.

It reads prose in Python source only. Code that is a near twin of the masked body, other kinds of file, and
prose that paraphrases the body in other words are not its business.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from assay.masking.engine.extents import measure
from assay.masking.engine.functions import survey
from assay.masking.engine.masked_source import Masked, replace
from assay.masking.engine.parsing import SourceText, parse, read
from assay.masking.engine.prose import Prose, prose
from assay.masking.engine.stub import piece

Reason = Literal["repeats the body", "call site", "names it"]

_TOKEN = re.compile(r"\w+|[^\w\s]")
_WORD = re.compile(r"[^\W\d]\w*")
_COMMENT_SIGN = re.compile(r"^[ \t\f]*#+", re.MULTILINE)
_RUN = 6
"""So many tokens in a row, three different words among them, are no accident."""
_SCRUBBED = {"comment": "# (removed)", "docstring": '"""(removed)"""'}


@dataclass(frozen=True, slots=True)
class Leak:
    """One piece of prose that tells of a masked function; offsets count the file's own bytes."""

    name: str
    reason: Reason
    what: Literal["comment", "docstring"]
    start: int
    end: int
    line: int
    text: str


def find_leaks(source: bytes, bodies: Mapping[str, str]) -> list[Leak]:
    """What in a source tells of masked bodies (`Masked.bodies()`), the strongest reason for each.

    A masked function's own docstring and stub are not leaks: they stay by choice.
    """
    text = read(source)
    return [_leak(text, *told) for told in _told(text, bodies)]


def scrub(
    source: bytes,
    bodies: Mapping[str, str],
    *,
    reasons: Collection[Reason] = ("repeats the body", "call site"),
) -> Masked:
    """Replace the prose that gives bodies away by a word that it was removed; restorable as a mask is."""
    text = read(source)
    pieces = []
    for item, name, reason in _told(text, bodies):
        if reason in reasons:
            pieces.append(piece(source, text, name, item.start, item.end, _SCRUBBED[item.what]))
    return replace(source, pieces, text.encoding)


def _leak(text: SourceText, item: Prose, name: str, reason: Reason) -> Leak:
    start, end = text.source_offset(item.start), text.source_offset(item.end)
    return Leak(name, reason, item.what, start, end, item.line, item.text)


def _told(text: SourceText, bodies: Mapping[str, str]) -> Iterator[tuple[Prose, str, Reason]]:
    tree = parse(text)
    stubs = list(_stubs(text, tree))
    runs = {name: _runs(body) for name, body in bodies.items()}
    calls = list(_calls(tree, bodies))
    for item in prose(text, tree):
        if item.text == _SCRUBBED[item.what] or any(start <= item.start < end for start, end in stubs):
            continue
        item_runs = _runs(_COMMENT_SIGN.sub("", item.text))
        if name := next((name for name in bodies if runs[name] & item_runs), None):
            yield item, name, "repeats the body"
        elif name := next((name for name, first, last in calls if _beside(item, first, last)), None):
            yield item, name, "call site"
        elif name := next((name for name in bodies if _names(item.text, name)), None):
            yield item, name, "names it"


def _stubs(text: SourceText, tree: ast.Module) -> Iterator[tuple[int, int]]:
    """The bodies of functions that are masked already."""
    for found in survey(tree).definitions:
        match found.node.body[-1]:
            case ast.Raise(exc=ast.Call(args=[ast.Constant(value=str(words))])):
                if words == f"masked: {found.name}":
                    extent = measure(text, found.node)
                    yield extent.body_start, extent.end


def _runs(words: str) -> set[tuple[str, ...]]:
    tokens = _TOKEN.findall(words)
    runs = (tuple(tokens[at : at + _RUN]) for at in range(len(tokens) - _RUN + 1))
    return {run for run in runs if len({token for token in run if _WORD.fullmatch(token)}) >= 3}


def _called_as(name: str) -> str | None:
    """The last name that a call of the function shows, if calls show one."""
    parts = [part.partition("#")[0] for part in name.split(".")]
    if parts[-1] == "__init__" and len(parts) > 1:
        return parts[-2]
    return None if parts[-1].startswith("__") else parts[-1]


def _calls(tree: ast.Module, bodies: Mapping[str, str]) -> Iterator[tuple[str, int, int]]:
    """For each statement that calls a masked function: the function, the first line and the last of it."""
    wanted: dict[str, str] = {}
    for name in bodies:
        if shown := _called_as(name):
            wanted.setdefault(shown, name)
    for statement in ast.walk(tree):
        if not isinstance(statement, ast.stmt):
            continue
        for child in ast.iter_child_nodes(statement):
            if isinstance(child, ast.stmt | ast.ExceptHandler | ast.match_case):
                continue
            for node in ast.walk(child):
                match node:
                    case ast.Call(func=ast.Name(id=called) | ast.Attribute(attr=called)) if called in wanted:
                        yield wanted[called], statement.lineno, node.end_lineno or node.lineno


def _beside(item: Prose, first: int, last: int) -> bool:
    if item.what == "docstring":
        return False
    return first <= item.line <= last or (item.alone and item.end_line + 1 == first)


def _names(words: str, name: str) -> bool:
    shown = _called_as(name)
    if shown is None:
        return False
    if "_" in shown or not shown.islower():
        return re.search(rf"\b{re.escape(shown)}\b", words) is not None
    return re.search(rf"(?:[`.]{re.escape(shown)}\b|\b{re.escape(shown)}\()", words) is not None
