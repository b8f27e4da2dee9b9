"""Choosing one candidate without the truth: by majority, by the paper's numbers, or by a model's word."""

from __future__ import annotations

import math
import re
from bisect import bisect
from collections.abc import Sequence

from inspect_ai.model import get_model

from assay.agents.candidates import Candidate
from assay.tasks import Task

ALIKE = 0.01
"""Two numbers that differ by less than this share of the larger are the same vote."""
NUMBER = re.compile(r"(?<![\w.])[-+]?\d+\.\d+(?:[eE][-+]?\d+)?(?![\w.]*\d)")
CHOICE = re.compile(r"CHOICE:\s*(\d+)")
SHOWN = 20_000
"""Characters of a candidate that a model is shown."""
ASK = """Several candidates were written for the task below, and each was run. Say which one is most likely
right: whether it does what the paper says, and whether its numbers are plausible. End with one line
`CHOICE: number`.

"""


def by_majority(candidates: Sequence[Candidate]) -> Candidate:
    """One of the largest group of candidates that agree on every number; the first where groups tie."""
    ran = [candidate for candidate in candidates if candidate.problem is None]
    if not ran:
        return next((candidate for candidate in candidates if candidate.files), candidates[0])
    votes = {candidate.number: sum(agree(candidate, voter) for voter in ran) for candidate in ran}
    return max(ran, key=lambda candidate: (votes[candidate.number], -candidate.number))


def agree(first: Candidate, second: Candidate) -> bool:
    """Whether two candidates wrote the same numbers."""
    return first.numbers.keys() == second.numbers.keys() and all(
        math.isclose(value, second.numbers[path], rel_tol=ALIKE, abs_tol=1e-12)
        or (math.isnan(value) and math.isnan(second.numbers[path]))
        for path, value in first.numbers.items()
    )


def by_paper(candidates: Sequence[Candidate], text: str) -> Candidate:
    """The candidate whose numbers stand nearest to numbers that the paper reports."""
    reported = reported_numbers(text)
    ran = [candidate for candidate in candidates if candidate.problem is None and candidate.numbers]
    if not reported or not ran:
        return by_majority(candidates)
    return min(ran, key=lambda candidate: (_distance(candidate, reported), candidate.number))


def reported_numbers(text: str) -> list[float]:
    """The decimal numbers of a text, its tables among it; whole numbers are years or counts, left out."""
    return sorted({float(number) for number in NUMBER.findall(text)})


def _distance(candidate: Candidate, reported: Sequence[float]) -> float:
    """The mean over a candidate's numbers of the relative distance to the nearest reported one, at most 1."""
    finite = [value for value in candidate.numbers.values() if math.isfinite(value)]
    nearest = [relative_distance(value, reported) for value in finite]
    return sum(nearest) / len(nearest) if nearest else 1.0


def relative_distance(value: float, reported: Sequence[float]) -> float:
    """The distance to the nearest of some sorted numbers, as a share of the larger one, at most 1."""
    place = bisect(reported, value)
    neighbours = reported[max(place - 1, 0) : place + 1]
    return min(1.0, *(abs(value - number) / max(abs(value), abs(number), 1e-12) for number in neighbours))


async def by_model(candidates: Sequence[Candidate], task: Task) -> tuple[Candidate, str]:
    """The candidate that the evaluated model names, and its words; the majority's where it names none."""
    descriptions = "\n\n".join(_describe(candidate, task) for candidate in candidates)
    answer = (await get_model().generate(ASK + task.instruction + "\n\n" + descriptions)).completion
    named = CHOICE.findall(answer)
    by_number = {str(candidate.number): candidate for candidate in candidates}
    candidate = by_number.get(named[-1].lstrip("0")) if named else None
    return candidate or by_majority(candidates), answer


def _describe(candidate: Candidate, task: Task) -> str:
    files = "\n".join(f"FILE: {path}\n````\n{text}\n````" for path, text in candidate.files.items())
    outcome = candidate.problem or ", ".join(
        f"{path} = {value:g}" for path, value in candidate.numbers.items()
    )
    return f"## Candidate {candidate.number}\n\n{files[:SHOWN]}\n\nIts run: {outcome}"
