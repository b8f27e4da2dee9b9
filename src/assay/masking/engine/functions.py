"""Which functions a source defines, what each is called, and where it lies."""

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
    """Dotted, as `Model.fit` or `outer.inner`; a second definition of the same name ends in `#2`."""
    kind: Kind
    is_async: bool
    start: int
    """The first decorator's `@`, else the `def`."""
    body_start: int
    """The line after the signature, or the first statement of a one-liner."""
    end: int
    """Behind the last statement and the comments that belong to the body; the newline is not in it."""
    line: int
    """The line of `start`, from 1."""
    end_line: int
    docstring: tuple[int, int] | None
    """Where the docstring lies, quotes and all."""
    statements: int
    """How many statements the body holds at every depth, the docstring not counted."""

    @property
    def has_docstring(self) -> bool:
        return self.docstring is not None


@dataclass(slots=True)
class Found:
    """A definition met in the tree, before it is measured."""

    name: str
    kind: Kind
    node: Definition
    parent: Found | None
    statements: int = 0


@dataclass(slots=True)
class Survey:
    """What one walk over a tree met, in the order of the source."""

    definitions: list[Found] = field(default_factory=list)
    lambdas: dict[str, int] = field(default_factory=dict)
    """Names that a lambda is assigned to, with the line."""


@dataclass(frozen=True, slots=True)
class _Scope:
    prefix: str
    function: Found | None
    in_class: bool


def find_functions(source: bytes) -> list[Function]:
    """Every function and method of a source, in its order; raises `Unparsable` with the reason."""
    text, found = surveyed(source)
    return [_function(text, each) for each in found.definitions]


@lru_cache(maxsize=8)
def surveyed(source: bytes) -> tuple[SourceText, Survey]:
    """A source's text and its definitions; kept for the next call, so nobody may change the trees."""
    text = read(source)
    return text, survey(parse(text))


def survey(tree: ast.Module) -> Survey:
    """Walk the statements of a tree; no depth of nesting is too much for it."""
    result = Survey()
    seen: dict[str, int] = {}
    outside = _Scope("", None, False)
    pending: list[tuple[ast.AST, _Scope]] = [(node, outside) for node in reversed(tree.body)]
    while pending:
        node, scope = pending.pop()
        if isinstance(node, ast.stmt) and scope.function is not None:
            scope.function.statements += 1
        inner = scope
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            found = _found(node, scope, seen)
            result.definitions.append(found)
            inner = _Scope(found.name + ".", found, False)
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


def _found(node: Definition, scope: _Scope, seen: dict[str, int]) -> Found:
    name = scope.prefix + node.name
    seen[name] = seen.get(name, 0) + 1
    if seen[name] > 1:
        name = f"{name}#{seen[name]}"
    return Found(name, _kind(node, scope), node, scope.function)


def _add_up(definitions: list[Found]) -> None:
    """Give each function its inner functions' statements too, and take docstrings off."""
    for found in reversed(definitions):
        if ast.get_docstring(found.node, clean=False) is not None:
            found.statements -= 1
        if found.parent is not None:
            found.parent.statements += found.statements


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


def _function(text: SourceText, found: Found) -> Function:
    extent = measure(text, found.node)
    docstring = extent.docstring
    return Function(
        name=found.name,
        kind=found.kind,
        is_async=isinstance(found.node, ast.AsyncFunctionDef),
        start=text.source_offset(extent.start),
        body_start=text.source_offset(extent.body_start),
        end=text.source_offset(extent.end),
        line=text.line(extent.start),
        end_line=text.line(extent.end),
        docstring=docstring and (text.source_offset(docstring[0]), text.source_offset(docstring[1])),
        statements=found.statements,
    )
