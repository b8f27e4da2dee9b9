"""Which of the executed functions are worth masking: not trivial, not only input and output."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from assay.masking.leaks.sources import Defined, Definition, definitions, unreached
from assay.masking.leaks.twins import Twin
from assay.masking.pipeline.tracer import Trace, Traced

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
    """As many as the run reaches."""

    @property
    def name(self) -> str:
        """File and function."""
        return str(self.defined.place)


def executed(files: Mapping[str, bytes], trace: Trace) -> list[tuple[Defined, Traced]]:
    """Every function that the run executes, with what was seen of it."""
    sources = {path: data for path, data in files.items() if path.endswith(".py")}
    found = [(defined, trace.functions.get(str(defined.place))) for defined in definitions(sources)]
    return [(defined, traced) for defined, traced in found if traced is not None]


def propose(
    found: Sequence[tuple[Defined, Traced]], reached: Mapping[str, frozenset[int]], most: int
) -> tuple[list[Candidate], dict[str, str]]:
    """The candidates, most work that the run reaches first, and why each other executed function is none."""
    candidates: list[Candidate] = []
    left_out: dict[str, str] = {}
    for defined, traced in found:
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
            done = count_operations(defined.node, reached.get(str(defined.place)))
            candidates.append(Candidate(defined, traced, done))
    candidates.sort(key=lambda each: (-each.operations, each.name))
    for each in candidates[most:]:
        left_out[each.name] = f"more than {most} candidates (--functions)"
    return sorted(candidates[:most], key=lambda each: each.name), left_out


def without_given_away(
    candidates: Sequence[Candidate], twins: Sequence[Twin]
) -> tuple[list[Candidate], dict[str, str]]:
    """The candidates whose body nothing else holds, and why the others are none."""
    reasons: dict[str, str] = {}
    for twin in twins:
        if twin.verbatim:
            reasons.setdefault(str(twin.place), f"given away: {twin.words}")
    return [each for each in candidates if each.name not in reasons], reasons


def count_operations(node: Definition, reached: Collection[int] | None = None) -> int:
    """How much a body does, or as much of it as these lines hold; its docstring is not counted."""
    passed = unreached(node, reached)
    inside = (each for statement in node.body for each in ast.walk(statement))
    return sum(isinstance(each, _OPERATIONS) and each not in passed for each in inside)


def in_words(left_out: Mapping[str, str]) -> str:
    """How many functions there are for each reason, the commonest first."""
    counts = Counter(why.partition(":")[0] for why in left_out.values())
    return ", ".join(f"{count} {why}" for why, count in counts.most_common())
