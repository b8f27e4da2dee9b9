"""Python that can run: by its syntax tree, else by its tokens where it is another version's Python."""

from __future__ import annotations

import ast
import io
import re
import tokenize

from assay.grading.execution_trace.statements import (
    Span,
    first_line_of,
    never_run,
    own_lines,
    parse,
    statements,
)
from assay.grading.judge.proof.formatted_texts import hide_text

_DOING = (ast.Call, ast.Await, ast.Yield, ast.YieldFrom, ast.NamedExpr)
_PARTS_OF_TEXTS = (f"{kind}STRING_{part}" for kind in "FT" for part in ("START", "MIDDLE", "END"))
_STRINGS = {tokenize.STRING} | {
    getattr(tokenize, name) for name in _PARTS_OF_TEXTS if hasattr(tokenize, name)
}


def python_proof(text: str, ran: frozenset[int] | None) -> tuple[str, str]:
    """The code that can prove something, and its mask; nothing of what cannot be read as Python."""
    tokens = _tokens(text)
    if tokens is None:
        return "", ""
    lines = text.splitlines(keepends=True)
    tree = parse(text)
    if tree is not None:
        idle = idle_lines(tree) | (never_run(tree, ran) if ran is not None else set())
    elif ran is not None:
        idle = _never_run_by_tokens(tokens, ran)
    else:
        return "", ""
    code_lines, mask = _without(lines, tokens)
    return _but(code_lines, idle), _but(mask, idle)


def _but(lines: list[str], idle: set[int]) -> str:
    return "".join("\n" if number in idle else line for number, line in enumerate(lines, 1))


def idle_lines(tree: ast.Module) -> set[int]:
    """The lines that do nothing, or cannot be reached, whatever runs."""
    idle: set[int] = set()
    for node in statements(tree):
        line_range = range(node.lineno, (node.end_lineno or node.lineno) + 1)
        if _does_nothing(node):
            idle.update(line_range)
        elif isinstance(node, ast.If | ast.While):
            idle.update(_dead_branch(node))
        if _has_dead_expression(node):
            idle.update(range(*_half_open(own_lines(node))))
        idle.update(_after_the_end(node))
    return idle


def _does_nothing(node: ast.stmt) -> bool:
    """Whether a statement only names things, or is a value that nobody takes, such as a text."""
    if isinstance(node, ast.Expr):
        return not any(isinstance(child, _DOING) for child in ast.walk(node))
    return isinstance(node, ast.Import | ast.ImportFrom | ast.Pass | ast.Global | ast.Nonlocal)


def _half_open(span: Span) -> Span:
    return span[0], span[1] + 1


def _dead_branch(node: ast.If | ast.While) -> set[int]:
    """The lines of the branch that a constant condition never takes."""
    truth = _constant(node.test)
    if truth is None:
        return set()
    dead = node.orelse if truth else node.body
    lines = {
        line
        for statement in dead
        for line in range(first_line_of(statement), (statement.end_lineno or statement.lineno) + 1)
    }
    return lines if truth else lines | {node.lineno}


def _constant(test: ast.expr) -> bool | None:
    """Whether a condition is always true or always false; None where it depends."""
    is_reversed = False
    while isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        test, is_reversed = test.operand, not is_reversed
    truth = _constant_without_not(test)
    return None if truth is None else truth != is_reversed


def _constant_without_not(test: ast.expr) -> bool | None:
    if isinstance(test, ast.Constant):
        return bool(test.value)
    if isinstance(test, ast.Name | ast.Attribute):
        name = test.id if isinstance(test, ast.Name) else test.attr
        return False if name == "TYPE_CHECKING" else None
    if isinstance(test, ast.List | ast.Tuple | ast.Dict):
        return None if (test.keys if isinstance(test, ast.Dict) else test.elts) else False
    if isinstance(test, ast.Compare):
        return _compared(test)
    if isinstance(test, ast.BoolOp):
        values = [_constant(operand) for operand in test.values]
        if isinstance(test.op, ast.And):
            return False if False in values else True if all(values) else None
        return True if True in values else None if None in values else False
    return None


def _compared(test: ast.Compare) -> bool | None:
    """The truth of a comparison of plain numbers and texts."""
    sides = [test.left, *test.comparators]
    if len(sides) != 2 or not all(isinstance(side, ast.Constant) for side in sides):
        return None
    left, right = (side.value for side in sides if isinstance(side, ast.Constant))
    operation = type(test.ops[0])
    if operation in (ast.Eq, ast.NotEq):
        return (left == right) == (operation is ast.Eq)
    if not isinstance(left, int | float) or not isinstance(right, int | float):
        return None
    signs: dict[type[ast.cmpop], bool] = {
        ast.Lt: left < right,
        ast.Gt: left > right,
        ast.LtE: left <= right,
        ast.GtE: left >= right,
    }
    return signs.get(operation)


def _has_dead_expression(node: ast.stmt) -> bool:
    """Whether a statement's own expressions hold a part that a constant keeps from being reached."""
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, ast.expr):
            continue
        for part in ast.walk(child):
            if isinstance(part, ast.IfExp) and _constant(part.test) is not None:
                return True
            if isinstance(part, ast.BoolOp):
                stops = isinstance(part.op, ast.Or)
                if any(_constant(value) is stops for value in part.values[:-1]):
                    return True
    return False


def _after_the_end(node: ast.stmt) -> set[int]:
    """The lines that stand after a return, raise, break or continue in the same block."""
    dead: set[int] = set()
    for block in (getattr(node, name, []) for name in ("body", "orelse", "finalbody")):
        ended = False
        for statement in block if isinstance(block, list) else []:
            if ended and isinstance(statement, ast.stmt):
                dead.update(range(first_line_of(statement), (statement.end_lineno or statement.lineno) + 1))
            ended = ended or isinstance(statement, ast.Return | ast.Raise | ast.Break | ast.Continue)
    return dead


def _tokens(text: str) -> list[tokenize.TokenInfo] | None:
    try:
        return list(tokenize.generate_tokens(io.StringIO(text).readline))
    except (tokenize.TokenError, SyntaxError, ValueError):
        return None


def _never_run_by_tokens(tokens: list[tokenize.TokenInfo], ran: frozenset[int]) -> set[int]:
    """The same by logical lines, for syntax that this Python does not know."""
    idle: set[int] = set()
    first = 1
    for token in tokens:
        if token.type == tokenize.NEWLINE:
            line_range = range(first, token.end[0] + 1)
            if not any(line in ran for line in line_range):
                idle.update(line_range)
            first = token.end[0] + 1
    return idle


def _without(lines: list[str], tokens: list[tokenize.TokenInfo]) -> tuple[list[str], list[str]]:
    """The lines without comments, and the same with what stands in strings hidden."""
    code_lines, mask = list(lines), list(lines)
    for token in reversed(tokens):
        (row, start), (last, end) = token.start, token.end
        if token.type == tokenize.COMMENT:
            for text_lines in (code_lines, mask):
                text_lines[row - 1] = text_lines[row - 1][:start] + text_lines[row - 1][end:]
        elif token.type in _STRINGS:
            hidden = hide_text(token.string) if token.type == tokenize.STRING else ""
            for number in range(row, last + 1):
                line = mask[number - 1]
                left, right = (start if number == row else 0), (end if number == last else len(line))
                shown, hidden = hidden[: right - left], hidden[right - left :]
                # Where a token has not the text of its lines, as one with escapes, nothing of it is shown.
                if len(shown) < right - left:
                    shown = re.sub(r"\S", "\0", line[left:right])
                mask[number - 1] = line[:left] + shown + line[right:]
    return code_lines, mask
