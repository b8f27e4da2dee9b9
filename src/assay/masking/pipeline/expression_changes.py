"""Single mistakes in expressions: the possible changes of each node."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from assay.masking.pipeline.slips import SLIPS, Change, with_fields

_OPERATORS: dict[type[ast.operator], tuple[type[ast.operator], ...]] = {
    ast.Add: (ast.Sub,),
    ast.Sub: (ast.Add,),
    ast.Mult: (ast.Div, ast.Add),
    ast.Div: (ast.Mult,),
    ast.FloorDiv: (ast.Mult,),
    ast.Mod: (ast.Mult,),
    ast.Pow: (ast.Mult,),
    ast.BitAnd: (ast.BitOr,),
    ast.BitOr: (ast.BitAnd,),
}
_COMPARISONS: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.Gt),
    ast.LtE: (ast.Lt, ast.GtE),
    ast.Gt: (ast.GtE, ast.Lt),
    ast.GtE: (ast.Gt, ast.LtE),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
}
_STEPS = {"sqrt", "exp", "log", "abs", "square", "log1p", "expm1", "fabs", "tanh", "sorted", "sort", "cumsum"}
"""Functions that people easily forget to call on their argument."""


def _operator(node: ast.AST) -> Iterator[ast.AST]:
    if isinstance(node, ast.BinOp | ast.AugAssign):
        for replacement in _OPERATORS.get(type(node.op), ()):
            yield with_fields(node, op=replacement())


def _dropped_term(node: ast.AST) -> Iterator[ast.AST]:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub | ast.Mult | ast.Div):
        yield node.left
        if not isinstance(node.op, ast.Div):
            yield node.right


def _missing_square(node: ast.AST) -> Iterator[ast.AST]:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
        yield node.left


def _missing_step(node: ast.AST) -> Iterator[ast.AST]:
    if isinstance(node, ast.Call) and node.args:
        called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        if called in _STEPS:
            yield node.args[0]


def _constant(node: ast.AST) -> Iterator[ast.AST]:
    if not isinstance(node, ast.Constant):
        return
    value = node.value
    new_values: tuple[float, ...] = ()
    if isinstance(value, bool):
        new_values = (not value,)
    elif isinstance(value, int):
        new_values = (value + 1, value - 1)
    elif isinstance(value, float):
        new_values = (value * 1.1 if value else 0.1,)
    for new_value in new_values:
        changed_constant = ast.Constant(new_value)
        yield changed_constant


def _comparison(node: ast.AST) -> Iterator[ast.AST]:
    if isinstance(node, ast.Compare):
        for replacement in _COMPARISONS.get(type(node.ops[0]), ()):
            yield with_fields(node, ops=[replacement(), *node.ops[1:]])


def _logic(node: ast.AST) -> Iterator[ast.AST]:
    if isinstance(node, ast.BoolOp):
        yield with_fields(node, op=ast.Or() if isinstance(node.op, ast.And) else ast.And())
    elif isinstance(node, ast.UnaryOp) and not isinstance(node.operand, ast.Constant):
        yield node.operand


def _swapped_arguments(node: ast.AST) -> Iterator[ast.AST]:
    if isinstance(node, ast.Call) and len(node.args) >= 2:
        if any(isinstance(argument, ast.Starred) for argument in node.args[:2]):
            return
        yield with_fields(node, args=[node.args[1], node.args[0], *node.args[2:]])


def _scaled_output(node: ast.AST) -> Iterator[ast.AST]:
    if isinstance(node, ast.Return) and node.value is not None and not isinstance(node.value, ast.Constant):
        if isinstance(node.value, ast.Tuple):
            if not node.value.elts:
                return
            parts = [ast.BinOp(node.value.elts[0], ast.Mult(), ast.Constant(1.1)), *node.value.elts[1:]]
            scaled = ast.Return(ast.Tuple(parts, ast.Load()))
        else:
            scaled = ast.Return(ast.BinOp(node.value, ast.Mult(), ast.Constant(1.1)))
        yield scaled


CHANGES: dict[str, Change] = {
    "operator": _operator,
    "dropped-term": _dropped_term,
    "missing-square": _missing_square,
    "missing-step": _missing_step,
    "constant": _constant,
    "comparison": _comparison,
    "logic": _logic,
    "swapped-arguments": _swapped_arguments,
    "scaled-output": _scaled_output,
    **SLIPS,
}
