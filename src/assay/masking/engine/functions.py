"""Finds the functions of a source, with their names and positions."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal

from assay.masking.engine.extents import Definition, measure
from assay.masking.engine.parsing import SourceText, parse, read

Kind = Literal["function", "method", "classmethod", "staticmethod", "property", "overload", "nested"]

_BLOCKS: dict[type[ast.AST], tuple[str, ...]] = {
    ast.FunctionDef: ("body",),
    ast.AsyncFunctionDef: ("body",),
    ast.ClassDef: ("body",),
    ast.If: ("body", "orelse"),
    ast.For: ("body", "orelse"),
    ast.AsyncFor: ("body", "orelse"),
    ast.While: ("body", "orelse"),
    ast.With: ("body",),
    ast.AsyncWith: ("body",),
    ast.Try: ("body", "handlers", "orelse", "finalbody"),
    ast.TryStar: ("body", "handlers", "orelse", "finalbody"),
    ast.ExceptHandler: ("body",),
    ast.Match: ("cases",),
    ast.match_case: ("body",),
}


@dataclass(frozen=True, slots=True)
class Function:
    """One definition in a source; every offset counts the file's own bytes."""

    name: str
    """Dotted, such as `Model.fit` or `outer.inner`; a second definition of the same name ends in `#2`."""
    kind: Kind
    is_async: bool
    start: int
    """The first decorator's `@`, else the `def`."""
    body_start: int
    """The line after the signature, or the first statement of a one-liner."""
    end: int
    """Position after the last statement and the body's comments, before the newline."""
    line: int
    """The line of `start`, from 1."""
    end_line: int
    docstring: tuple[int, int] | None
    """Position of the docstring, including its quotes."""
    statements: int
    """Number of statements in the body at every depth, without the docstring."""

    @property
    def has_docstring(self) -> bool:
        return self.docstring is not None


@dataclass(slots=True)
class FoundDefinition:
    """A definition in the tree, before it is measured."""

    name: str
    kind: Kind
    node: Definition
    parent: FoundDefinition | None
    statements: int = 0


@dataclass(slots=True)
class SourceDefinitions:
    """All definitions of a tree, in the order of the source."""

    definitions: list[FoundDefinition] = field(default_factory=list)
    lambdas: dict[str, int] = field(default_factory=dict)
    """Names to which a lambda is assigned -> line."""


@dataclass(frozen=True, slots=True)
class _Scope:
    prefix: str
    function: FoundDefinition | None
    in_class: bool


def find_functions(source: bytes) -> list[Function]:
    """Return every function and method of a source, in order; raise `Unparsable` with the reason."""
    text, definitions = read_definitions(source)
    return [_function(text, definition) for definition in definitions.definitions]


@lru_cache(maxsize=8)
def read_definitions(source: bytes) -> tuple[SourceText, SourceDefinitions]:
    """Return a source's text and its definitions; the result is cached, so never change the trees."""
    text = read(source)
    return text, find_definitions(parse(text))


def find_definitions(tree: ast.Module) -> SourceDefinitions:
    """Walk the statements of a tree without recursion, at any depth of nesting."""
    result = SourceDefinitions()
    name_counts: dict[str, int] = {}
    outside = _Scope("", None, False)
    pending: list[tuple[ast.AST, _Scope]] = [(node, outside) for node in reversed(tree.body)]
    while pending:
        node, scope = pending.pop()
        if isinstance(node, ast.stmt) and scope.function is not None:
            scope.function.statements += 1
        inner = scope
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            definition = _found_definition(node, scope, name_counts)
            result.definitions.append(definition)
            inner = _Scope(definition.name + ".", definition, False)
        elif isinstance(node, ast.ClassDef):
            inner = _Scope(f"{scope.prefix}{node.name}.", scope.function, True)
        elif isinstance(node, ast.Assign | ast.AnnAssign) and isinstance(node.value, ast.Lambda):
            result.lambdas.update((scope.prefix + name, node.lineno) for name in _assigned(node))
        blocks = _BLOCKS.get(type(node))
        if blocks:
            children = [child for block in blocks for child in getattr(node, block)]
            pending.extend((child, inner) for child in reversed(children))
    _add_up(result.definitions)
    return result


def _found_definition(node: Definition, scope: _Scope, name_counts: dict[str, int]) -> FoundDefinition:
    name = scope.prefix + node.name
    name_counts[name] = name_counts.get(name, 0) + 1
    if name_counts[name] > 1:
        name = f"{name}#{name_counts[name]}"
    return FoundDefinition(name, _kind(node, scope), node, scope.function)


def _add_up(definitions: list[FoundDefinition]) -> None:
    """Add the statements of inner functions to each function, and subtract docstrings."""
    for definition in reversed(definitions):
        if ast.get_docstring(definition.node, clean=False) is not None:
            definition.statements -= 1
        if definition.parent is not None:
            definition.parent.statements += definition.statements


def _assigned(node: ast.Assign | ast.AnnAssign) -> Iterator[str]:
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    return (target.id for target in targets if isinstance(target, ast.Name))


def _kind(node: Definition, scope: _Scope) -> Kind:
    for decorator in node.decorator_list:
        called = decorator.func if isinstance(decorator, ast.Call) else decorator
        match called:
            case ast.Name("overload") | ast.Attribute(attr="overload"):
                return "overload"
            case ast.Name("property" | "cached_property" | "abstractproperty"):
                return "property"
            case ast.Attribute(attr="cached_property" | "setter" | "getter" | "deleter"):
                return "property"
            case ast.Name("classmethod"):
                return "classmethod"
            case ast.Name("staticmethod"):
                return "staticmethod"
    if scope.in_class:
        return "method"
    return "nested" if scope.function is not None else "function"


def _function(text: SourceText, definition: FoundDefinition) -> Function:
    extent = measure(text, definition.node)
    docstring = extent.docstring
    return Function(
        name=definition.name,
        kind=definition.kind,
        is_async=isinstance(definition.node, ast.AsyncFunctionDef),
        start=text.source_offset(extent.start),
        body_start=text.source_offset(extent.body_start),
        end=text.source_offset(extent.end),
        line=text.line(extent.start),
        end_line=text.line(extent.end),
        docstring=docstring and (text.source_offset(docstring[0]), text.source_offset(docstring[1])),
        statements=definition.statements,
    )
