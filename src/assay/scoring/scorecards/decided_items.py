"""What decided the items behind a score: a run, a text, a reader, or nothing, and then why not.

This is what happened in the attempts that are counted. What could decide the items of a whole benchmark is
printed by `assay audit BENCHMARK --decidable`. Integrity is left out: it is owed, not earned.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from assay.grading.verdict import Verdict
from assay.rules.ruling import UNREAD
from assay.scoring.scorecards.phase_items import LETTERS, PhasedAttempt, is_whole_phase
from assay.tasks.metric import Strict

COMPARED_TEXTS = ("design", "conclusion", "handed-in")
"""Phases whose items are compared as texts where no reader is asked."""
FAITHFUL = "conclusion.faithful"
"""The one item of the conclusion that the numbers of a run decide."""
WAYS = ("running", "text", "reading", "none")

NO_GRADE = "the attempt has no grade"
NOT_REACHED = "grading did not come to it"
NOT_SURE = "the reader is not sure"
SOLUTION_FAILS = "the task's own solution does not meet it"
GRADING_BROKE = "grading broke, on the control submission too"
AUTHORS_NUMBERS = "the published numbers are those of the authors' own run"
NUMBERS_UNCLEAR = "the run's numbers cannot show it"


class DecidedItems(Strict):
    """The items of one phase, in all attempts of one agent, by what decided them."""

    running: int
    """Decided by a run in the clean sandbox, by its numbers, or because there is nothing to run."""
    text: int
    """Decided by a comparison of texts: equal words, a missing file."""
    reading: int
    """Decided by a model that reads."""
    none: int
    """Not decided."""
    reasons: dict[str, int]
    """Why items were not decided, the most frequent first."""

    @property
    def total(self) -> int:
        """All items."""
        return self.running + self.text + self.reading + self.none


def decided_items(letter: str, attempts: Sequence[PhasedAttempt]) -> DecidedItems:
    """Count the items of a phase by what decided them."""
    counts: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    for attempt in attempts:
        for decided_by, why in _decisions(letter, attempt):
            counts[decided_by] += 1
            if why:
                reasons[why] += 1
    by_way = {decided_by: counts[decided_by] for decided_by in WAYS}
    return DecidedItems(**by_way, reasons=dict(sorted(reasons.items(), key=lambda reason: -reason[1])))


def _decisions(letter: str, attempt: PhasedAttempt) -> Iterator[tuple[str, str]]:
    """Yield the way and, if there is none, the reason for each item of the phase."""
    expected = sum(attempt.counts(letter))
    verdicts = [verdict for verdict in attempt.attempt.verdicts if LETTERS.get(verdict.phase) == letter]
    for verdict in verdicts:
        decision = ("none", _reason(verdict)) if verdict.status == "unknown" else (_way(verdict), "")
        yield from [decision] * (expected if is_whole_phase(verdict) else 1)
    if not verdicts:
        why = NOT_REACHED if attempt.attempt.verdicts else NO_GRADE
        owner = attempt.attempt.owner
        yield from [("none", f"{why} (owner: {owner})" if owner else why)] * expected


def _way(verdict: Verdict) -> str:
    if verdict.by == "judge":
        return "reading"
    is_text = verdict.phase in COMPARED_TEXTS and verdict.item != FAITHFUL
    return "text" if is_text else "running"


def _reason(verdict: Verdict) -> str:
    """Why an item is unknown, in words that can be counted and that no submission can write."""
    evidence = verdict.evidence
    if evidence.endswith(UNREAD):
        return UNREAD
    if evidence.startswith("the solution itself does not meet it"):
        return SOLUTION_FAILS
    if evidence.startswith("grading broke"):
        return GRADING_BROKE
    if verdict.by == "judge":
        return NOT_SURE
    if verdict.item == FAITHFUL:
        return AUTHORS_NUMBERS if verdict.owner == "task" else NUMBERS_UNCLEAR
    if verdict.owner == "task" and verdict.phase == "conclusion":
        return evidence
    return f"it could not be graded (owner: {verdict.owner or 'unknown'})"
