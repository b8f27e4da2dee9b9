"""Finds lambdas and expressions that compute what a masked function returns."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass

from assay.masking.leaks.near_twins import Twin, body_bits, is_same_code, near_twins, statements
from assay.masking.leaks.sources import DefinedFunction, FunctionPlace

MIN_EXPRESSION_BITS = 30.0
"""An expression inside other code with less information may be the same by chance."""
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_WITH_VALUE = (ast.Assign, ast.AnnAssign, ast.NamedExpr, ast.Return)


@dataclass(frozen=True)
class Expression:
    """A lambda, or a value that code assigns or returns, as a function."""

    defined: DefinedFunction
    is_lambda: bool
    shape: tuple[str, ...]

    def computes(self, masked: DefinedFunction, shape: tuple[str, ...]) -> float:
        """Return how much it is like a function with one `return` and this shape: 0 to 1."""
        own_lines = range(masked.node.lineno, (masked.node.end_lineno or masked.node.lineno) + 1)
        if masked.place.file == self.defined.place.file and self.defined.node.lineno in own_lines:
            return 0.0
        if self.is_lambda:
            return max((twin.alike for twin in near_twins(masked, [self.defined])), default=0.0)
        is_long = shape == self.shape and body_bits(masked) >= MIN_EXPRESSION_BITS
        return 1.0 if is_long and is_same_code(masked, self.defined) else 0.0


def find_expressions(path: str, tree: ast.Module) -> list[Expression]:
    """Return the lambdas, assigned values and returned values of a source."""
    variables = {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
    variables |= {
        node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }
    # A function with one statement is compared as a function.
    whole_bodies = {
        id(statement)
        for node in ast.walk(tree)
        if isinstance(node, _DEFINITIONS)
        for statement in node.body[-1:]
        if len(node.body) == 1 + (ast.get_docstring(node) is not None)
    }
    expressions = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Lambda):
            expressions.append(_as_function(path, node.args, node.body, is_lambda=True))
        elif isinstance(node, _WITH_VALUE) and node.value is not None and id(node) not in whole_bodies:
            names = {inner.id for inner in ast.walk(node.value) if isinstance(inner, ast.Name)}
            arguments = [ast.arg(name) for name in sorted(names & variables)]
            expressions.append(_as_function(path, _plain_arguments(arguments), node.value))
    return expressions


def is_one_return(defined: DefinedFunction) -> bool:
    """True if a body is one `return` with a value."""
    body = statements(defined)
    return len(body) == 1 and isinstance(body[0], ast.Return) and body[0].value is not None


def twins_among(masked: DefinedFunction, path: str, expressions: Sequence[Expression]) -> list[Twin]:
    """Return one twin if an expression of a file computes what a masked function of one `return` returns."""
    shape = _shape(statements(masked)[0])[1:]
    alike = max((expression.computes(masked, shape) for expression in expressions), default=0.0)
    return [Twin(masked.place, path, alike, True, "near twin")] if alike else []


def _plain_arguments(arguments: list[ast.arg]) -> ast.arguments:
    return ast.arguments(
        posonlyargs=[], args=arguments, vararg=None, kwonlyargs=[], kw_defaults=[], kwarg=None, defaults=[]
    )


def _as_function(path: str, arguments: ast.arguments, value: ast.expr, is_lambda: bool = False) -> Expression:
    node = ast.FunctionDef(
        name="expression", args=arguments, body=[ast.Return(value)], decorator_list=[], lineno=value.lineno
    )
    defined = DefinedFunction(FunctionPlace(path, f"expression in line {value.lineno}"), node, "function")
    return Expression(defined, is_lambda, _shape(value))


def _shape(tree: ast.AST) -> tuple[str, ...]:
    return tuple(type(node).__name__ for node in ast.walk(tree))
