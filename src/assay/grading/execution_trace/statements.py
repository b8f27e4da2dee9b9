"""Which statements of a Python file were executed, by the lines that were."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterable, Iterator

Span = tuple[int, int]

_BLOCKS = (
    ast.If,
    ast.For,
    ast.AsyncFor,
    ast.While,
    ast.With,
    ast.AsyncWith,
    ast.Try,
    ast.TryStar,
    ast.FunctionDef,
    ast.AsyncFunctionDef,
    ast.ClassDef,
    ast.Match,
)
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


LONGEST_PARSED = 500_000
"""Characters of a source: its tree takes hundreds of times as many bytes."""
MOST_FIELDS = 2_000
"""Opening braces of a source with f-strings: before 3.12, an f-string takes the square of its fields."""
_F_STRING = re.compile(r"\b(?:[fF][rR]?|[rR][fF])['\"]")


def takes_long(text: str) -> bool:
    """Whether parsing a text could hold up the harness: a submission may contain any text."""
    if len(text) > LONGEST_PARSED:
        return True
    return text.count("{") > MOST_FIELDS and _F_STRING.search(text) is not None


_TRIES = 5
"""CPython 3.11 counts the depth of the trees of all threads together, and may raise SystemError for it."""


def parse(text: str) -> ast.Module | None:
    """The syntax tree, or None where this is no Python that this Python reads in a moment."""
    return None if takes_long(text) else parse_at_length(text)


def parse_at_length(source: str | bytes) -> ast.Module | None:
    """The syntax tree of a text, or of a file in its own encoding, however long that takes."""
    for _ in range(_TRIES):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return ast.parse(source)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None
        except SystemError:
            continue
    return None


def are_same(first: ast.AST, second: ast.AST) -> bool:
    """Whether two syntax trees are of the same program, wherever its parts stand; trees may be deep."""
    waiting: list[tuple[object, object]] = [(first, second)]
    while waiting:
        left, right = waiting.pop()
        if type(left) is not type(right):
            return False
        if isinstance(left, ast.AST):
            waiting += [(getattr(left, name, None), getattr(right, name, None)) for name in left._fields]
        elif isinstance(left, list) and isinstance(right, list):
            if len(left) != len(right):
                return False
            waiting += zip(left, right, strict=True)
        elif left != right:
            return False
    return True


def joins_text(expression: ast.expr) -> bool:
    """Whether an expression is a text, or an operation on texts such as their sum; it may be deep."""
    waiting = [expression]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.BinOp):
            waiting += (node.left, node.right)
        elif isinstance(node, ast.JoinedStr) or (
            isinstance(node, ast.Constant) and isinstance(node.value, str)
        ):
            return True
    return False


def never_run(tree: ast.Module, ran: frozenset[int]) -> set[int]:
    """The lines of statements of which no line was executed, and headers of functions never called."""
    idle: set[int] = set()
    for node in statements(tree):
        span = own_lines(node)
        if not any(line in ran for line in range(span[0], span[1] + 1)):
            idle.update(range(span[0], span[1] + 1))
        elif isinstance(node, ast.If) and node.body[0].lineno == span[1]:
            idle.add(span[1])  # on one line it cannot be told whether the body ran
        elif isinstance(node, _DEFINITIONS):
            first, last = node.body[0].lineno, node.end_lineno or node.lineno
            if first > span[1] and not any(line in ran for line in range(first, last + 1)):
                idle.update(range(span[0], span[1] + 1))
    return idle


def statements(tree: ast.Module) -> Iterator[ast.stmt]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.stmt))


def own_lines(node: ast.stmt) -> Span:
    """The lines of a statement without those of the block below it."""
    first = first_line_of(node)
    last = node.end_lineno or node.lineno
    if isinstance(node, _BLOCKS):
        body = node.cases[0].pattern.lineno if isinstance(node, ast.Match) else first_line_of(node.body[0])
        last = max(node.lineno, body - 1)
    return first, last


def first_line_of(node: ast.stmt) -> int:
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([node.lineno, *(decorator.lineno for decorator in decorators)])


def share_run(text: str, lines: Iterable[int]) -> float:
    """The share of the statements inside functions that were executed; of all, where there is no function."""
    tree = parse(text)
    if tree is None:
        return 1.0
    ran = frozenset(lines)
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    inside = [child for function in functions for part in function.body for child in ast.walk(part)]
    counted = [
        child for child in inside or ast.walk(tree) if isinstance(child, ast.stmt) and not _is_text(child)
    ]
    idle = never_run(tree, ran)
    executed = sum(own_lines(child)[0] not in idle for child in counted)
    return executed / len(counted) if counted else 1.0


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
