"""Plausible mistakes: off by one, the wrong axis, another function, swapped operands."""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterator
from typing import TypeVar

Change = Callable[[ast.AST], Iterator[ast.AST]]
"""Node -> possible replacements; the tree itself does not change."""

_OTHER_FUNCTION = {
    "min": "max",
    "minimum": "maximum",
    "argmin": "argmax",
    "nanmin": "nanmax",
    "floor": "ceil",
    "sin": "cos",
    "any": "all",
    "mean": "sum",
    "median": "mean",
    "std": "var",
    "zeros": "ones",
    "zeros_like": "ones_like",
    "log": "log10",
}
_REPLACEMENT_FUNCTIONS = {
    **_OTHER_FUNCTION,
    **{opposite: name for name, opposite in _OTHER_FUNCTION.items()},
    "sum": "max",
}


NodeType = TypeVar("NodeType", bound=ast.AST)


def with_fields(node: NodeType, **fields: object) -> NodeType:
    """Return a copy of a node with other fields; it shares the rest."""
    copied = copy.copy(node)
    for name, value in fields.items():
        setattr(copied, name, value)
    return copied


def _off_by_one(node: ast.AST) -> Iterator[ast.AST]:
    """Change indices and bounds of slices and ranges that are no constants."""
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice):
        for bound in ("lower", "upper"):
            value = getattr(node.slice, bound)
            if value is not None:
                yield with_fields(node, slice=with_fields(node.slice, **{bound: _one_less(value)}))
    elif isinstance(node, ast.Subscript) and not isinstance(node.slice, ast.Constant | ast.Tuple):
        yield with_fields(node, slice=_one_less(node.slice))
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "range":
        for number, argument in enumerate(node.args[:2]):
            yield with_fields(node, args=[*node.args[:number], _one_less(argument), *node.args[number + 1 :]])


def _one_less(value: ast.expr) -> ast.expr:
    return ast.BinOp(value, ast.Sub(), ast.Constant(1))


def _wrong_axis(node: ast.AST) -> Iterator[ast.AST]:
    if isinstance(node, ast.keyword) and node.arg in ("axis", "dim", "keepdims", "keepdim"):
        value = ast.unparse(node.value)
        other_values = {"0": 1, "1": 0, "-1": 0, "2": 1, "None": 0, "True": False, "False": True}
        if value in other_values:
            yield ast.keyword(node.arg, ast.Constant(other_values[value]))


def _negated_condition(node: ast.AST) -> Iterator[ast.AST]:
    if isinstance(node, ast.If | ast.While | ast.IfExp):
        yield with_fields(node, test=ast.UnaryOp(ast.Not(), node.test))


def _swapped_operands(node: ast.AST) -> Iterator[ast.AST]:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub | ast.Div | ast.Pow | ast.Mod):
        yield with_fields(node, left=node.right, right=node.left)


def _other_function(node: ast.AST) -> Iterator[ast.AST]:
    if not isinstance(node, ast.Call):
        return
    called: ast.expr | None = None
    if isinstance(node.func, ast.Attribute) and node.func.attr in _REPLACEMENT_FUNCTIONS:
        called = ast.Attribute(node.func.value, _REPLACEMENT_FUNCTIONS[node.func.attr], ast.Load())
    elif isinstance(node.func, ast.Name) and node.func.id in ("min", "max", "any", "all", "sum"):
        called = ast.Name(_REPLACEMENT_FUNCTIONS[node.func.id], ast.Load())
    if called is not None:
        yield with_fields(node, func=called)


def _scaled_value(node: ast.AST) -> Iterator[ast.AST]:
    """Make an assigned value a little too large."""
    if isinstance(node, ast.Assign | ast.AugAssign) and not isinstance(
        node.value, ast.Constant | ast.Tuple | ast.List | ast.Dict | ast.ListComp | ast.Lambda | ast.JoinedStr
    ):
        yield with_fields(node, value=ast.BinOp(node.value, ast.Mult(), ast.Constant(1.1)))


def _shifted_output(node: ast.AST) -> Iterator[ast.AST]:
    if not isinstance(node, ast.Return) or node.value is None:
        return
    value = node.value
    if isinstance(value, ast.Tuple):
        if len(value.elts) > 1:
            yield with_fields(node, value=with_fields(value, elts=[*value.elts[1:], value.elts[0]]))
        return
    yield with_fields(node, value=ast.BinOp(value, ast.Add(), ast.Constant(1)))
    yield with_fields(node, value=ast.UnaryOp(ast.USub(), value))
    yield with_fields(node, value=ast.BinOp(value, ast.Div(), ast.Constant(2)))


def _dropped_item(node: ast.AST) -> Iterator[ast.AST]:
    """Skip the first or the last item of a loop."""
    if isinstance(node, ast.For | ast.comprehension):
        listed = ast.Call(ast.Name("list", ast.Load()), [node.iter], [])
        for bound in (ast.Slice(lower=ast.Constant(1)), ast.Slice(upper=ast.Constant(-1))):
            yield with_fields(node, iter=ast.Subscript(listed, bound, ast.Load()))


def _fixed_condition(node: ast.AST) -> Iterator[ast.AST]:
    """Make a condition constant, except in loops, which might never end."""
    if isinstance(node, ast.If | ast.IfExp):
        for always in (True, False):
            yield with_fields(node, test=ast.Constant(always))


def _dropped_keyword(node: ast.AST) -> Iterator[ast.AST]:
    """Drop a keyword argument, so that its default applies."""
    if isinstance(node, ast.Call):
        for number, keyword in enumerate(node.keywords):
            if keyword.arg is not None:
                yield with_fields(node, keywords=[*node.keywords[:number], *node.keywords[number + 1 :]])


def _other_jump(node: ast.AST) -> Iterator[ast.AST]:
    if isinstance(node, ast.Break):
        yield ast.Continue()
    elif isinstance(node, ast.Continue):
        yield ast.Break()


def _other_order(node: ast.AST) -> Iterator[ast.AST]:
    """Reverse a sort."""
    if not isinstance(node, ast.Call) or any(keyword.arg == "reverse" for keyword in node.keywords):
        return
    called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    if called in ("sort", "sorted"):
        backwards = ast.keyword("reverse", ast.Constant(True))
        yield with_fields(node, keywords=[*node.keywords, backwards])


SLIPS: dict[str, Change] = {
    "off-by-one": _off_by_one,
    "wrong-axis": _wrong_axis,
    "negated-condition": _negated_condition,
    "swapped-operands": _swapped_operands,
    "other-function": _other_function,
    "scaled-value": _scaled_value,
    "shifted-output": _shifted_output,
    "dropped-item": _dropped_item,
    "fixed-condition": _fixed_condition,
    "dropped-keyword": _dropped_keyword,
    "other-jump": _other_jump,
    "other-order": _other_order,
}
