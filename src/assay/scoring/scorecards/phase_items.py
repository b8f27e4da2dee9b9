"""The items of an attempt at an experiment, counted phase by phase; an unknown item is never left out."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from assay.grading.verdict import Verdict
from assay.scoring.logs.attempts import Attempt
from assay.scoring.scorecards.phase_ladder import STEPS

LETTERS: dict[str, str] = {name: letter for letter, names in STEPS.items() for name in names}
"""The first part of an item's name → the letter of its phase."""

TIME_LIMITS = ("time", "working", "job-time")
"""Limits after which EXP-Bench saves nothing of an attempt, so that it is not judged."""

AskedItems = Mapping[tuple[str, str], Mapping[str, int]]
"""A suite and one of its tasks → the letters of the phases that it asks for, each with its items."""


class ItemCounts(NamedTuple):
    """The items of one phase in one attempt."""

    met: int = 0
    unmet: int = 0
    unknown: int = 0

    @property
    def is_met(self) -> bool | None:
        """Whether every item is met; None if one is unknown and none is unmet, or if there is none."""
        return False if self.unmet else None if self.unknown or not self.met else True

    @property
    def lowest(self) -> float:
        """The share of met items if every unknown item is unmet; nothing known is 0."""
        return self.met / sum(self) if sum(self) else 0.0

    @property
    def highest(self) -> float:
        """The share of met items if every unknown item is met; nothing known is 1."""
        return (self.met + self.unknown) / sum(self) if sum(self) else 1.0


@dataclass(frozen=True)
class PhasedAttempt:
    """An attempt with its items, by the letter of their phase."""

    attempt: Attempt
    items: Mapping[str, ItemCounts]

    def counts(self, letter: str) -> ItemCounts:
        """The items of one phase."""
        return self.items.get(letter, ItemCounts())

    def is_met(self, phases: str) -> bool | None:
        """Whether all phases are met: one that is not decides, even if another is unknown."""
        outcomes = [self.counts(letter).is_met for letter in phases.split("·")]
        return False if False in outcomes else None if None in outcomes else True

    def is_judged(self, phases: str) -> bool:
        """Whether each of the phases has an answer, and the attempt ended before its time limit."""
        has_answers = all(self.counts(letter).is_met is not None for letter in phases.split("·"))
        return has_answers and self.attempt.limit not in TIME_LIMITS

    @property
    def is_executed(self) -> bool:
        """Whether the execution has a verdict, right or wrong."""
        statuses = [verdict.status for verdict in self.attempt.verdicts if verdict.phase == "execution"]
        return bool(statuses) and "unknown" not in statuses


def items_asked(attempts: Iterable[Attempt]) -> AskedItems:
    """Which phases each task asks for, and with how many items, as the verdicts on any attempt show."""
    asked_items: dict[tuple[str, str], dict[str, int]] = defaultdict(dict)
    for attempt in attempts:
        names = {verdict.phase for verdict in attempt.verdicts}
        counted = Counter(LETTERS[verdict.phase] for verdict in attempt.verdicts if verdict.phase in LETTERS)
        task_items = asked_items[attempt.suite, attempt.task]
        for letter, count in counted.items():
            if STEPS[letter][0] in names:
                task_items[letter] = max(count, task_items.get(letter, 0))
    return asked_items


def with_items(attempt: Attempt, asked_items: AskedItems) -> PhasedAttempt:
    """The attempt with its items: all that the task asks for, also where grading did not come to them."""
    counted: dict[str, Counter[str]] = defaultdict(Counter)
    task_items = asked_items.get((attempt.suite, attempt.task), {})
    for verdict in attempt.verdicts:
        letter = LETTERS.get(verdict.phase)
        if letter is not None:
            counted[letter][verdict.status] += task_items.get(letter, 1) if is_whole_phase(verdict) else 1
    for letter, expected in task_items.items():
        if letter not in counted:
            counted[letter]["unknown"] = expected
    return PhasedAttempt(
        attempt,
        {
            letter: ItemCounts(statuses["met"], statuses["unmet"], statuses["unknown"])
            for letter, statuses in counted.items()
        },
    )


def is_whole_phase(verdict: Verdict) -> bool:
    """Whether the verdict stands for all items of its phase: grading of the phase broke as a whole."""
    return "." not in verdict.item
