"""Changes of single functions in the source of a program, for a run that shows what these functions do."""

from __future__ import annotations

import ast
import io
import tokenize
import warnings
from collections.abc import Collection, Iterator

Function = ast.FunctionDef | ast.AsyncFunctionDef
LONGEST_EDITED = 500_000
"""Bytes of a program: its tree takes hundreds of times as many."""


class TooLong(Exception):
    """A program that is not read within the limits."""


def emptied(source: bytes, functions: Collection[str]) -> bytes:
    """A program in which these functions (`name`, `Class.name`) only raise; ValueError if one is missing.

    At its end their names are bound again, because a program can bind a name in many ways.
    """
    program = _Program(source, functions)
    lines = program.lines
    for node in program.definitions:
        first, last = node.body[0], node.body[-1]
        before = lines[first.lineno - 1][: first.col_offset]
        after = lines[(last.end_lineno or 0) - 1][last.end_col_offset :]
        lines[first.lineno - 1 : last.end_lineno] = [before + b"raise NotImplementedError" + after]
    return program.edited("".join(map(_raising, program.bound)))


class _Program:
    """A program, and what it says about some of its functions."""

    def __init__(self, source: bytes, functions: Collection[str]) -> None:
        text, self._encoding = _decoded(source)
        self.tree = _parsed(text)
        self.lines = [line + b"\n" for line in text.encode().split(b"\n")]
        self.names = {id(node): name for name, node in _functions(self.tree) if name in functions}
        nodes = [node for name, node in _functions(self.tree) if name in functions]
        self.definitions = sorted(nodes, key=lambda node: -node.lineno)
        """Every definition of these functions, the last one first."""
        self.bound = [name for name in functions if "<locals>" not in name]
        """The functions whose names the end of the program can bind again."""
        bound_otherwise = {name for node in ast.walk(self.tree) for name in _bound_by(node)}
        for name in {*functions} - {*self.names.values()}:
            first, *inner = name.split(".")
            if "<locals>" in inner or (inner and first not in bound_otherwise):
                raise ValueError(f"it has no function {name}")

    def edited(self, end: str) -> bytes:
        """The program with its lines as they are now, and more statements at its end."""
        return (b"".join(self.lines).decode() + end).encode(self._encoding)


def _decoded(source: bytes) -> tuple[str, str]:
    """The text that Python reads, whose lines are those that it counts; and its encoding."""
    if len(source) > LONGEST_EDITED:
        raise TooLong(f"{len(source):,} bytes with masked functions, at most {LONGEST_EDITED:,} are read")
    source = source.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(source).readline)
        text = source.decode(encoding)
        is_same = "\r" not in text and text.encode(encoding).decode(encoding) == text
    except (SyntaxError, ValueError, LookupError) as error:
        raise ValueError(f"it is no Python: {error}") from None
    if not is_same:
        raise ValueError(f"it has characters that cannot be written again in its encoding {encoding}")
    return text, encoding


def _parsed(text: str) -> ast.Module:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text)
    except MemoryError:
        raise TooLong("reading it takes more memory than it may") from None
    except (SyntaxError, RecursionError, ValueError) as error:
        raise ValueError(f"it is no Python: {error}") from None


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
    """A program in which a decorator, a call with the name of the function, stands at these functions.

    It stands below their other decorators and above them, because these may return another function. The
    program binds the decorator first (before Python 3.9, a decorator begins with a name), and gives it the
    names of the functions at its end.
    """
    program = _Program(source, functions)
    lines = program.lines
    for node in program.definitions:
        indent = lines[node.lineno - 1][: node.col_offset]
        places = {node.lineno, min(part.lineno for part in [node, *node.decorator_list])}
        for number in sorted(places, reverse=True):
            lines.insert(number - 1, indent + f"@{name}({program.names[id(node)]!r})\n".encode())
    number, column = _first_statement(program.tree)
    line, end = lines[number - 1], b"; " if column else b"\n"
    lines[number - 1] = line[:column] + f"{name} = {value}".encode() + end + line[column:]
    return program.edited(f"\n\n{name}.bind_again({program.bound!r})\n")


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
