"""Chooses executed functions to mask: not trivial ones, and not only input and output."""

from __future__ import annotations

import ast
import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from assay.errors import Unmaskable
from assay.masking.leaks.near_twins import Twin
from assay.masking.leaks.sources import DefinedFunction, Definition, definitions, unreached_nodes
from assay.masking.pipeline.options import MaskingOptions
from assay.masking.pipeline.tracer import Trace, TracedFunction
from assay.masking.pipeline.unit_tests import is_test_file
from assay.rules.fresh_calls import TEST_PROGRAM

MIN_OPERATIONS = 3
MEDIUM_OPERATIONS = 12
"""Functions of about this size come first where the run is unit tests."""
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
    def distance_from_middle(self) -> float:
        """How far the size is from that of a medium function, in doublings."""
        return abs(math.log2(max(1, self.operations) / MEDIUM_OPERATIONS))

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
    options: MaskingOptions,
) -> tuple[list[MaskCandidate], dict[str, str]]:
    """Return all candidates, those with most reached operations first, and why other functions are none."""
    candidates: list[MaskCandidate] = []
    left_out: dict[str, str] = {}
    for defined, traced in traced_functions:
        reason = options.refusal(defined.place) or _why_none(defined, traced, bool(options.tests))
        if reason is not None:
            left_out[str(defined.place)] = reason
            continue
        reached_operations = count_operations(defined.node, reached.get(str(defined.place)))
        candidates.append(MaskCandidate(defined, traced, reached_operations))
    if options.include and not candidates:
        names = ", ".join(str(defined.place) for defined, _ in traced_functions[:4])
        first = next(iter(left_out.values()), "the run executes no function")
        raise Unmaskable(
            f"--only {' '.join(options.include)} leaves no candidate: {first}",
            hint=f"the run executes {names}",
        )
    if options.tests:
        # Tests seldom notice every mistake in a long function, and short ones are soon filled.
        candidates.sort(key=lambda candidate: (candidate.distance_from_middle, candidate.name))
    else:
        candidates.sort(key=lambda candidate: (-candidate.operations, candidate.name))
    return candidates, left_out


def first_candidates(
    candidates: Sequence[MaskCandidate], limit: int
) -> tuple[list[MaskCandidate], dict[str, str]]:
    """Return the first candidates in the order of their names, and why the others are left out."""
    left_out = {
        candidate.name: f"more than {limit} candidates (--functions)" for candidate in candidates[limit:]
    }
    return sorted(candidates[:limit], key=lambda candidate: candidate.name), left_out


def _why_none(defined: DefinedFunction, traced: TracedFunction, run_is_tests: bool) -> str | None:
    """Return why a function is no candidate, or None; tests also check words, files and errors."""
    if run_is_tests and (is_test_file(defined.place.file) or defined.place.file == TEST_PROGRAM):
        return "code of the tests"
    operations = count_operations(defined.node)
    if operations < MIN_OPERATIONS:
        return f"trivial: {operations} operations"
    if not traced.watched_calls:
        return "no call of it was watched"
    if run_is_tests:
        if not traced.returns_value and not traced.changes_arguments:
            return "only input and output: it returns nothing and changes no argument"
    elif not (traced.returns_numbers or traced.changes_arguments):
        return "only input and output: it returns and changes no number"
    if not any("returned" in call for call in traced.watched_calls):
        return "no watched call of it returned"
    return None


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
