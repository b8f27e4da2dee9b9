"""Lists functions of a repository, and decorates or rewrites functions in sources."""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from assay.errors import Unparsable
from assay.masking.engine import find_functions
from assay.masking.engine.extents import measure
from assay.masking.engine.functions import FoundDefinition, read_definitions

Definition = ast.FunctionDef | ast.AsyncFunctionDef
COMPILERS = {"jit", "njit", "vectorize", "guvectorize", "cfunc", "script", "compile", "stencil", "overload"}
"""Decorators that read a function's code, so that no other decorator may be between them."""


@dataclass(frozen=True)
class FunctionPlace:
    """One function of one file."""

    file: str
    function: str

    def __str__(self) -> str:
        return f"{self.file}::{self.function}"


@dataclass(frozen=True)
class DefinedFunction:
    """A function with its syntax tree."""

    place: FunctionPlace
    node: Definition
    kind: str


def definitions(files: Mapping[str, bytes]) -> Iterator[DefinedFunction]:
    """Yield every function that can be watched; skip sources that do not parse."""
    return (
        DefinedFunction(place, definition.node, definition.kind)
        for place, definition in _all_found(files)
        if _can_be_watched(definition)
    )


def all_definitions(files: Mapping[str, bytes]) -> Iterator[DefinedFunction]:
    """Yield every function of the sources, also inner and asynchronous ones."""
    return (
        DefinedFunction(place, definition.node, definition.kind) for place, definition in _all_found(files)
    )


def _all_found(files: Mapping[str, bytes]) -> Iterator[tuple[FunctionPlace, FoundDefinition]]:
    for path, source in files.items():
        try:
            found_definitions = read_definitions(source)[1].definitions
        except Unparsable:
            continue
        for definition in found_definitions:
            yield FunctionPlace(path, definition.name), definition


def _can_be_watched(definition: FoundDefinition) -> bool:
    if definition.kind in ("nested", "overload") or definition.parent is not None:
        return False
    if isinstance(definition.node, ast.AsyncFunctionDef) or "#" in definition.name:
        return False
    decorator_names = {
        node.attr if isinstance(node, ast.Attribute) else node.id
        for decorator in definition.node.decorator_list
        for node in ast.walk(decorator)
        if isinstance(node, ast.Attribute | ast.Name)
    }
    return not decorator_names & COMPILERS


def with_decorators(source: bytes, decorators: Mapping[str, str]) -> bytes:
    """Return the source with one more decorator directly above each of these functions."""
    text, definitions = read_definitions(source)
    pieces = []
    for definition in definitions.definitions:
        if definition.name in decorators:
            start = text.offset(definition.node.lineno, 0)
            indentation = text.utf8[start : start + definition.node.col_offset].decode()
            pieces.append((text.source_offset(start), f"{indentation}@{decorators[definition.name]}\n"))
    changed = bytearray(source)
    for offset, line in sorted(pieces, reverse=True):
        changed[offset:offset] = text.encode(line)
    return bytes(changed)


def with_body(source: bytes, function: str, statement: str) -> bytes:
    """Return the source with one statement instead of the function's body."""
    function_extent = next(candidate for candidate in find_functions(source) if candidate.name == function)
    indentation = _indentation(source, function_extent.start)
    inline = source[: function_extent.body_start].rpartition(b"\n")[2].strip() != b""
    body = statement.encode() if inline else indentation + b"    " + statement.encode()
    return source[: function_extent.body_start] + body + source[function_extent.end :]


def with_definition(source: bytes, function: str, definition: str) -> bytes:
    """Return the source with this text instead of the function."""
    text, definitions = read_definitions(source)
    extent = measure(
        text,
        next(
            definition_found.node
            for definition_found in definitions.definitions
            if definition_found.name == function
        ),
    )
    start, end = text.source_offset(extent.start), text.source_offset(extent.end)
    indented = textwrap.indent(definition, _indentation(source, start).decode())
    return source[:start] + text.encode(indented.lstrip()) + source[end:]


def _indentation(source: bytes, start: int) -> bytes:
    return source[source.rfind(b"\n", 0, start) + 1 : start]


def unreached_nodes(node: Definition, reached_lines: Collection[int] | None) -> set[ast.AST]:
    """Return the statements that the run does not reach, with all nodes on their own lines."""
    nodes: set[ast.AST] = set()
    if reached_lines is None:
        return nodes
    for statement in ast.walk(node):
        if not isinstance(statement, ast.stmt) or statement is node:
            continue
        inner = [
            child for child in ast.walk(statement) if isinstance(child, ast.stmt) and child is not statement
        ]
        last = min((child.lineno - 1 for child in inner), default=statement.end_lineno or statement.lineno)
        own_lines = range(statement.lineno, max(last, statement.lineno) + 1)
        if not any(line in reached_lines for line in own_lines):
            inner_nodes = {part for child in inner for part in ast.walk(child)}
            nodes |= set(ast.walk(statement)) - inner_nodes
    return nodes
