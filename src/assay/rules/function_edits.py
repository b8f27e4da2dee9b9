"""Changes of single functions in the source of a program, for a run that shows what these functions do."""

from __future__ import annotations

import ast
import codecs
import warnings
from collections.abc import Collection, Iterator

Function = ast.FunctionDef | ast.AsyncFunctionDef
LONGEST_EDITED = 500_000
"""Bytes of a program: its tree takes hundreds of times as many."""


class TooLong(Exception):
    """A program that is not read within the limits."""


def emptied(source: bytes, functions: Collection[str]) -> bytes:
    """A program in which these functions (`name`, `Class.name`) only raise; ValueError if one is missing."""
    tree, (mark, lines) = _parsed(source), _lines(source)
    for node in _definitions(tree, functions):
        first, last = node.body[0], node.body[-1]
        before = lines[first.lineno - 1][: first.col_offset]
        after = lines[(last.end_lineno or 0) - 1][last.end_col_offset :]
        lines[first.lineno - 1 : last.end_lineno] = [before + b"raise NotImplementedError" + after]
    return b"".join([mark, *lines, *(_raising(name).encode() for name in _bound_otherwise(tree, functions))])


def _parsed(source: bytes) -> ast.Module:
    if len(source) > LONGEST_EDITED:
        raise TooLong(f"{len(source):,} bytes with masked functions, at most {LONGEST_EDITED:,} are read")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(source)
    except MemoryError:
        raise TooLong("reading it takes more memory than it may") from None
    except (SyntaxError, RecursionError) as error:
        raise ValueError(f"it is no Python: {error}") from None


def _lines(source: bytes) -> tuple[bytes, list[bytes]]:
    """The mark of the byte order, if there is one, and the lines behind it."""
    mark = codecs.BOM_UTF8 if source.startswith(codecs.BOM_UTF8) else b""
    return mark, source.removeprefix(mark).splitlines(keepends=True)


def _definitions(tree: ast.Module, functions: Collection[str]) -> list[Function]:
    """Every definition of these functions, the last one first."""
    definitions = [node for name, node in _functions(tree) if name in functions]
    return sorted(definitions, key=lambda node: -node.lineno)


def _bound_otherwise(tree: ast.Module, functions: Collection[str]) -> list[str]:
    """The functions that a program binds in another way than by `def`, as in `name = other`."""
    defined = {name for name, _ in _functions(tree)}
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


def watched(source: bytes, functions: Collection[str], name: str, value: str) -> bytes:
    """A program in which a decorator, a call with the name of the function, stands above these functions.

    The program binds the decorator first: before Python 3.9, a decorator begins with a name.
    """
    tree, (mark, lines) = _parsed(source), _lines(source)
    names = {id(node): function for function, node in _functions(tree)}
    for node in _definitions(tree, functions):
        indent = lines[node.lineno - 1][: node.col_offset]
        lines.insert(node.lineno - 1, indent + f"@{name}({names[id(node)]!r})\n".encode())
    number, column = _first_statement(tree)
    line, end = lines[number - 1], b"; " if column else b"\n"
    lines[number - 1] = line[:column] + f"{name} = {value}".encode() + end + line[column:]
    rebound_names = _bound_otherwise(tree, functions)
    rebound = [f"\n\n{function} = {name}({function!r})({function})\n" for function in rebound_names]
    return b"".join([mark, *lines, *(statement.encode() for statement in rebound)])


def _first_statement(tree: ast.Module) -> tuple[int, int]:
    """Line and column of the first statement that may have another one before it."""
    for node in tree.body:
        is_text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if not is_text and not (isinstance(node, ast.ImportFrom) and node.module == "__future__"):
            decorators = getattr(node, "decorator_list", [])
            return (min(part.lineno for part in [node, *decorators]), node.col_offset)
    raise ValueError("it has no statement")


def _raising(name: str) -> str:
    """A last statement of a program that binds a function again, so that using it raises."""
    function = "assay_emptied" if "." in name else name
    statement = f"\n\ndef {function}(*_, **__):\n    raise NotImplementedError\n"
    return statement + (f"\n\n{name} = property({function})\n" if "." in name else "")


def _functions(tree: ast.Module) -> Iterator[tuple[str, Function]]:
    """Every function with its dotted name; a tree may be deeper than calls can be."""
    waiting: list[tuple[str, ast.AST]] = [("", tree)]
    while waiting:
        prefix, node = waiting.pop()
        for child in ast.iter_child_nodes(node):
            name = f"{prefix}{getattr(child, 'name', '')}"
            if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef)):
                yield name, child
                waiting.append((f"{name}.<locals>.", child))
            else:
                waiting.append((f"{name}." if isinstance(child, ast.ClassDef) else prefix, child))
