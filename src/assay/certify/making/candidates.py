"""Which of the executed functions are worth masking: not trivial, not only input and output."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass

from assay.certify.making.sources import Defined, definitions
from assay.certify.making.tracer import Trace, Traced

LEAST_OPERATIONS = 3
_OPERATIONS = (
    ast.BinOp,
    ast.UnaryOp,
    ast.Compare,
    ast.Call,
    ast.BoolOp,
    ast.Subscript,
    ast.comprehension,
    ast.If,
    ast.For,
    ast.While,
    ast.IfExp,
    ast.AugAssign,
)


@dataclass(frozen=True)
class Candidate:
    """A function that may be masked."""

    defined: Defined
    traced: Traced
    operations: int

    @property
    def name(self) -> str:
        """File and function."""
        return str(self.defined.place)


def propose(files: Mapping[str, bytes], trace: Trace, most: int) -> tuple[list[Candidate], dict[str, str]]:
    """The candidates, most work first, and why each other executed function is none."""
    candidates: list[Candidate] = []
    left_out: dict[str, str] = {}
    for defined in definitions({path: data for path, data in files.items() if path.endswith(".py")}):
        traced = trace.functions.get(str(defined.place))
        if traced is None:
            continue
        operations = count_operations(defined.node)
        if operations < LEAST_OPERATIONS:
            left_out[str(defined.place)] = f"trivial: {operations} operations"
        elif not traced.seen:
            left_out[str(defined.place)] = "no call of it was watched"
        elif not (traced.returns_numbers or traced.changes_arguments):
            left_out[str(defined.place)] = "only input and output: it returns and changes no number"
        elif not any("returned" in each for each in traced.seen):
            left_out[str(defined.place)] = "no watched call of it returned"
        else:
            candidates.append(Candidate(defined, traced, operations))
    candidates.sort(key=lambda each: (-each.operations, each.name))
    for each in candidates[most:]:
        left_out[each.name] = f"more than {most} candidates (--functions)"
    return sorted(candidates[:most], key=lambda each: each.name), left_out


def count_operations(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """How much a body does, its docstring not counted."""
    return sum(isinstance(each, _OPERATIONS) for statement in node.body for each in ast.walk(statement))
