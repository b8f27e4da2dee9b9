"""Runs that compute nothing: their results only repeat what stands written in the submission."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from assay.grading.execution_trace.moving import only_decodes, only_moves
from assay.grading.execution_trace.records import ExecutionTrace
from assay.rules.literals import literals
from assay.rules.remade import leaves

_WORDS = ("design.json", "conclusion.json")
MOST_NAMED = 50
"""Files of which it is asked whether they hold the numbers, to name them."""
INFORMATIVE_DIGITS = 3
"""Significant digits from which on a number is hardly met by chance."""


class HollowRun(NamedTuple):
    """Why the results of a run show nothing."""

    reason: str
    sources: tuple[str, ...] = ()
    """Files that have all its numbers. The run may still compute them: other numbers in the files decide."""


def why_hollow(
    trace: ExecutionTrace,
    results: object,
    submitted: Mapping[str, bytes],
    command: str,
    given: Mapping[str, bytes],
) -> HollowRun | None:
    """Why a run that ended well shows nothing, or None: it may have measured what it wrote.

    `given` are the files that were in the workspace before, unchanged: a copy of one of them is no result.
    """
    if trace.forged:
        return HollowRun(trace.account)
    if trace.gap is not None:
        return None
    read = {
        path: data
        for path, data in submitted.items()
        if path not in _WORDS and (trace.opened is None or path in trace.opened)
    }
    numbers = {abs(number) for number in leaves(results).values()}
    written = literals(read)
    computed = [number for number in numbers if number not in written]
    if computed:
        if only_moves(trace, submitted) and not set(computed) - literals(given):
            return HollowRun(
                f"the run computes nothing: it only copies the {len(numbers)} numbers of given files"
            )
        if only_decodes(trace, submitted):
            reason = f"it only gives stored text another form ({len(numbers)} numbers)"
            return HollowRun(f"the run computes nothing: {reason}")
        return None
    if trace.is_idle(command):
        return HollowRun(f"the run computes nothing: {trace.account}")
    if any(is_informative(number) for number in numbers):
        sources = [path for path, data in list(read.items())[:MOST_NAMED] if numbers & literals({path: data})]
        reason = f"the run computes nothing: all its numbers stand written in {', '.join(sources[:3])}"
        return HollowRun(reason, tuple(sources))
    if only_moves(trace, submitted) or only_decodes(trace, submitted) or _is_shell_alone(trace):
        return HollowRun(f"the run computes nothing: it only writes constants ({len(numbers)} numbers)")
    return None


def _is_shell_alone(trace: ExecutionTrace) -> bool:
    """Whether nothing but shell scripts ran, as far as can be seen."""
    seen = not trace.blind and trace.opened is not None
    return seen and trace.processes == 0 and all(path.endswith((".sh", ".bash")) for path in trace.ran)


def is_informative(number: float) -> bool:
    """Whether a number has so many digits that it would not be the same by chance."""
    digits = f"{number:.12g}".partition("e")[0].replace(".", "").lstrip("0")
    return not number.is_integer() and len(digits) >= INFORMATIVE_DIGITS
