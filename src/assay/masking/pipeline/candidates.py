"""Chooses executed functions to mask: not trivial ones, and not only input and output."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from assay.masking.leaks.sources import DefinedFunction, Definition, definitions, unreached_nodes
from assay.masking.leaks.twins import Twin
from assay.masking.pipeline.tracer import Trace, TracedFunction

MIN_OPERATIONS = 3
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
class MaskCandidate:
    """A function that a task may mask."""

    defined: DefinedFunction
    traced: TracedFunction
    operations: int
    """Number of operations that the run reaches."""

    @property
    def name(self) -> str:
        """File and function."""
        return str(self.defined.place)


def executed_functions(
    files: Mapping[str, bytes], trace: Trace
) -> list[tuple[DefinedFunction, TracedFunction]]:
    """Return every function that the run executes, with its trace."""
    sources = {path: data for path, data in files.items() if path.endswith(".py")}
    traced_functions = [
        (defined, trace.functions.get(str(defined.place))) for defined in definitions(sources)
    ]
    return [(defined, traced) for defined, traced in traced_functions if traced is not None]


def propose(
    traced_functions: Sequence[tuple[DefinedFunction, TracedFunction]],
    reached: Mapping[str, frozenset[int]],
    limit: int,
) -> tuple[list[MaskCandidate], dict[str, str]]:
    """Return the candidates, those with most reached operations first, and why other functions are none."""
    candidates: list[MaskCandidate] = []
    left_out: dict[str, str] = {}
    for defined, traced in traced_functions:
        operations = count_operations(defined.node)
        if operations < MIN_OPERATIONS:
            left_out[str(defined.place)] = f"trivial: {operations} operations"
        elif not traced.watched_calls:
            left_out[str(defined.place)] = "no call of it was watched"
        elif not (traced.returns_numbers or traced.changes_arguments):
            left_out[str(defined.place)] = "only input and output: it returns and changes no number"
        elif not any("returned" in call for call in traced.watched_calls):
            left_out[str(defined.place)] = "no watched call of it returned"
        else:
            reached_operations = count_operations(defined.node, reached.get(str(defined.place)))
            candidates.append(MaskCandidate(defined, traced, reached_operations))
    candidates.sort(key=lambda candidate: (-candidate.operations, candidate.name))
    for candidate in candidates[limit:]:
        left_out[candidate.name] = f"more than {limit} candidates (--functions)"
    return sorted(candidates[:limit], key=lambda candidate: candidate.name), left_out


def without_leaked(
    candidates: Sequence[MaskCandidate], twins: Sequence[Twin]
) -> tuple[list[MaskCandidate], dict[str, str]]:
    """Return the candidates without copies elsewhere, and why the others are excluded."""
    reasons: dict[str, str] = {}
    for twin in twins:
        if twin.verbatim:
            reasons.setdefault(str(twin.place), f"given away: {twin.description}")
    return [candidate for candidate in candidates if candidate.name not in reasons], reasons


def count_operations(node: Definition, reached: Collection[int] | None = None) -> int:
    """Count the operations of a body, or of these lines of it, without its docstring."""
    unreached_set = unreached_nodes(node, reached)
    inner_nodes = (node_inside for statement in node.body for node_inside in ast.walk(statement))
    return sum(
        isinstance(node_inside, _OPERATIONS) and node_inside not in unreached_set
        for node_inside in inner_nodes
    )


def summarize_reasons(left_out: Mapping[str, str]) -> str:
    """Describe how many functions each reason has, the most common first."""
    counts = Counter(reason.partition(":")[0] for reason in left_out.values())
    return ", ".join(f"{count} {reason}" for reason, count in counts.most_common())
