"""Functions of a repository, and sources with one of them decorated, emptied or rewritten."""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from assay.errors import Unparsable
from assay.masking.engine import find_functions
from assay.masking.engine.extents import measure
from assay.masking.engine.functions import Found, surveyed

Definition = ast.FunctionDef | ast.AsyncFunctionDef
COMPILERS = {"jit", "njit", "vectorize", "guvectorize", "cfunc", "script", "compile", "stencil", "overload"}
"""Decorators that read a function's code themselves, so that nothing may stand between."""


@dataclass(frozen=True)
class Place:
    """One function of one file."""

    file: str
    function: str

    def __str__(self) -> str:
        return f"{self.file}::{self.function}"


@dataclass(frozen=True)
class Defined:
    """A function with its tree."""

    place: Place
    node: Definition
    kind: str


def definitions(files: Mapping[str, bytes]) -> Iterator[Defined]:
    """Every function of the sources that can be watched; sources that do not parse are passed over."""
    return (Defined(place, found.node, found.kind) for place, found in _found(files) if _watchable(found))


def all_definitions(files: Mapping[str, bytes]) -> Iterator[Defined]:
    """Every function of the sources, inner and asynchronous ones among them."""
    return (Defined(place, found.node, found.kind) for place, found in _found(files))


def _found(files: Mapping[str, bytes]) -> Iterator[tuple[Place, Found]]:
    for path, source in files.items():
        try:
            known = surveyed(source)[1].definitions
        except Unparsable:
            continue
        for each in known:
            yield Place(path, each.name), each


def _watchable(found: Found) -> bool:
    if found.kind in ("nested", "overload") or found.parent is not None:
        return False
    if isinstance(found.node, ast.AsyncFunctionDef) or "#" in found.name:
        return False
    named = {
        node.attr if isinstance(node, ast.Attribute) else node.id
        for decorator in found.node.decorator_list
        for node in ast.walk(decorator)
        if isinstance(node, ast.Attribute | ast.Name)
    }
    return not named & COMPILERS


def decorated(source: bytes, decorators: Mapping[str, str]) -> bytes:
    """The source with one more decorator right above each of these functions."""
    text, known = surveyed(source)
    pieces = []
    for found in known.definitions:
        if found.name in decorators:
            start = text.offset(found.node.lineno, 0)
            indentation = text.utf8[start : start + found.node.col_offset].decode()
            pieces.append((text.source_offset(start), f"{indentation}@{decorators[found.name]}\n"))
    changed = bytearray(source)
    for at, line in sorted(pieces, reverse=True):
        changed[at:at] = text.encode(line)
    return bytes(changed)


def with_body(source: bytes, function: str, statement: str) -> bytes:
    """The source with one statement instead of the function's body."""
    found = next(each for each in find_functions(source) if each.name == function)
    indentation = _indentation(source, found.start)
    inline = source[: found.body_start].rpartition(b"\n")[2].strip() != b""
    body = statement.encode() if inline else indentation + b"    " + statement.encode()
    return source[: found.body_start] + body + source[found.end :]


def with_definition(source: bytes, function: str, definition: str) -> bytes:
    """The source with this text in place of the function."""
    text, known = surveyed(source)
    extent = measure(text, next(each.node for each in known.definitions if each.name == function))
    start, end = text.source_offset(extent.start), text.source_offset(extent.end)
    written = textwrap.indent(definition, _indentation(source, start).decode())
    return source[:start] + text.encode(written.lstrip()) + source[end:]


def _indentation(source: bytes, start: int) -> bytes:
    return source[source.rfind(b"\n", 0, start) + 1 : start]


def unreached(node: Definition, reached: Collection[int] | None) -> set[ast.AST]:
    """The statements that the run does not come to, with all that stands on their own lines."""
    passed: set[ast.AST] = set()
    if reached is None:
        return passed
    for statement in ast.walk(node):
        if not isinstance(statement, ast.stmt) or statement is node:
            continue
        inner = [each for each in ast.walk(statement) if isinstance(each, ast.stmt) and each is not statement]
        last = min((each.lineno - 1 for each in inner), default=statement.end_lineno or statement.lineno)
        own = range(statement.lineno, max(last, statement.lineno) + 1)
        if not any(line in reached for line in own):
            within = {part for each in inner for part in ast.walk(each)}
            passed |= set(ast.walk(statement)) - within
    return passed
