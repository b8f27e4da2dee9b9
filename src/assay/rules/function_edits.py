"""Changes of single functions in the source of a program, for a run that shows what these functions do."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator

Function = ast.FunctionDef | ast.AsyncFunctionDef


def emptied(source: bytes, functions: Collection[str]) -> bytes:
    """A program in which these functions (`name`, `Class.name`) only raise; ValueError if one is missing."""
    tree, lines = _parsed(source), source.splitlines(keepends=True)
    for node in _definitions(tree, functions):
        first, last = node.body[0], node.body[-1]
        before = lines[first.lineno - 1][: first.col_offset]
        after = lines[(last.end_lineno or 0) - 1][last.end_col_offset :]
        lines[first.lineno - 1 : last.end_lineno] = [before + b"raise NotImplementedError" + after]
    return b"".join([*lines, *(_raising(name).encode() for name in _bound_otherwise(tree, functions))])


def _parsed(source: bytes) -> ast.Module:
    try:
        return ast.parse(source)
    except (SyntaxError, RecursionError, MemoryError) as error:
        raise ValueError(f"it is no Python: {error}") from None


def _definitions(tree: ast.Module, functions: Collection[str]) -> list[Function]:
    """Every definition of these functions, the last one first."""
    definitions = [node for name, node in _functions(tree, "") if name in functions]
    return sorted(definitions, key=lambda node: -node.lineno)


def _bound_otherwise(tree: ast.Module, functions: Collection[str]) -> list[str]:
    """The functions that a program binds in another way than by `def`, as in `name = other`."""
    defined = {name for name, _ in _functions(tree, "")}
    bound = {name for node in ast.walk(tree) for name in _bound_by(node)}
    for name in {*functions} - defined:
        first, *inner = name.split(".")
        if "<locals>" in inner or (inner and first not in bound):
            raise ValueError(f"it has no function {name}")
    top_level = [name for name in functions if "<locals>" not in name]
    return [name for name in top_level if name not in defined or name.rpartition(".")[2] in bound]


def _bound_by(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.alias):
        yield node.asname or node.name
    elif isinstance(node, ast.ClassDef):
        yield node.name
    elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
        yield node.id
    elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
        yield node.attr


def watched(source: bytes, functions: Collection[str], decorator: str) -> bytes:
    """A program in which a decorator, a call with the name of the function, stands above these functions."""
    tree, lines = _parsed(source), source.splitlines(keepends=True)
    names = {id(node): name for name, node in _functions(tree, "")}
    for node in _definitions(tree, functions):
        indent = lines[node.lineno - 1][: node.col_offset]
        lines.insert(node.lineno - 1, indent + f"@{decorator}({names[id(node)]!r})\n".encode())
    rebound_names = _bound_otherwise(tree, functions)
    return b"".join(
        [*lines, *(f"\n\n{name} = {decorator}({name!r})({name})\n".encode() for name in rebound_names)]
    )


def _raising(name: str) -> str:
    """A last statement of a program that binds a function again, so that using it raises."""
    function = "assay_emptied" if "." in name else name
    statement = f"\n\ndef {function}(*_, **__):\n    raise NotImplementedError\n"
    return statement + (f"\n\n{name} = property({function})\n" if "." in name else "")


def _functions(node: ast.AST, prefix: str) -> Iterator[tuple[str, Function]]:
    for child in ast.iter_child_nodes(node):
        name = f"{prefix}{getattr(child, 'name', '')}"
        if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield name, child
            yield from _functions(child, f"{name}.<locals>.")
        else:
            yield from _functions(child, f"{name}." if isinstance(child, ast.ClassDef) else prefix)
