"""Runs that compute nothing: their results only repeat what stands written in the submission."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

from assay.grading.execution_trace.moving import only_decodes, only_moves, only_picks
from assay.grading.execution_trace.records import ExecutionTrace
from assay.rules.literals import literals, literals_by_file
from assay.rules.remade import leaves

_WORDS = ("design.json", "conclusion.json")
INFORMATIVE_DIGITS = 3
"""Significant digits from which on a number is hardly met by chance."""


class HollowRun(NamedTuple):
    """Why the results of a run show nothing."""

    reason: str
    sources: tuple[str, ...] = ()
    """Files from which it would take some of its numbers. The run may still compute them: a run over these
    files with other numbers decides."""
    may_choose: bool = False
    """Whether its code does more than to move numbers: they may be its choices from lists in these files."""


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
    written_by_file = literals_by_file(read)
    written = set[float]().union(*written_by_file.values())
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
        places = [path for path in read if numbers & written_by_file[path]]
        reason = f"the run computes nothing: all its numbers stand written in {', '.join(places[:3])}"
        return HollowRun(reason, _sources(numbers, written_by_file), not only_picks(trace, submitted))
    if only_moves(trace, submitted) or only_decodes(trace, submitted) or _is_shell_alone(trace):
        return HollowRun(f"the run computes nothing: it only writes constants ({len(numbers)} numbers)")
    return None


def _sources(numbers: Iterable[float], written_by_file: Mapping[str, Collection[float]]) -> tuple[str, ...]:
    """All files that have one and the same number: a run that takes it from none of them computes it.

    The number is one that stands in the same files as most others do. So the program is no source of these
    others because it has a setting that the results repeat.
    """
    holders = Counter(
        tuple(path for path in sorted(written_by_file) if number in written_by_file[path])
        for number in numbers
        if is_informative(number)
    )
    return max(holders, key=lambda paths: (holders[paths], len(paths), paths))


def _is_shell_alone(trace: ExecutionTrace) -> bool:
    """Whether nothing but shell scripts ran, as far as can be seen."""
    seen = not trace.blind and trace.opened is not None
    return seen and trace.processes == 0 and all(path.endswith((".sh", ".bash")) for path in trace.ran)


def is_informative(number: float) -> bool:
    """Whether a number has so many digits that it would not be the same by chance."""
    digits = f"{number:.12g}".partition("e")[0].replace(".", "").lstrip("0")
    return not number.is_integer() and len(digits) >= INFORMATIVE_DIGITS
