"""What is known of a program, from its run or from its text alone, in the form in which facts are decided."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from assay.grading.execution_trace.calls import Scalar
from assay.tasks import Value


@dataclass
class SeenCalls:
    """The calls of one function."""

    count: int = 0
    arguments: list[dict[str, Scalar]] = field(default_factory=list)


@dataclass
class Evidence:
    """What a program did."""

    calls: dict[tuple[str, str], SeenCalls] = field(default_factory=dict)
    """File and qualified name of a repository's function → its calls that returned."""
    library: dict[str, SeenCalls] = field(default_factory=dict)
    """Dotted name of another function → the calls that stand in code that ran."""
    imports: set[str] = field(default_factory=set)
    programs: list[tuple[str, dict[str, list[str]]]] = field(default_factory=list)
    """File of the repository or `-m MODULE` → the options of one start."""
    settings: dict[str, list[Value]] = field(default_factory=dict)
    lines: dict[str, frozenset[int]] = field(default_factory=dict)
    """Given file that is unchanged → the lines that ran."""
    sources: dict[str, str] = field(default_factory=dict)
    """The text of those files."""
    touched: set[str] = field(default_factory=set)
    """Every file of the repository of which a function was called, and every name that was called."""
    open_because: str | None = None
    """Why something may have happened that is not here; None: this is all."""


def same(expected: Value, seen: object) -> bool:
    """Whether two scalars are equal: numbers by value, texts by their letters."""
    if isinstance(expected, bool) or isinstance(seen, bool):
        return str(expected).casefold() == str(seen).casefold()
    try:
        first, second = float(expected), float(seen)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        return str(expected) == str(seen)
    return abs(first - second) <= 1e-9 * max(abs(first), abs(second))


def has_all(expected: Sequence[Value], seen: Sequence[object]) -> bool:
    """Whether each expected value is among those that were seen."""
    return all(any(same(value, candidate) for candidate in seen) for value in expected)
