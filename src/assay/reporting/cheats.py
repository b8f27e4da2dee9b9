"""What each cheat tried and which item failed it; the cheats that did not fail stand apart."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from assay.scoring import Attempt
from assay.scoring.statistics.rates import Rate, rate_of

if TYPE_CHECKING:
    from assay.reporting.rows import Column, TaskRow


@dataclass(frozen=True)
class Catch:
    """One item that failed a cheat, with the tasks on which it did."""

    item: str
    evidence: str
    tasks: list[TaskRow]


@dataclass(frozen=True)
class Cheat:
    """What a cheat tried and how its attempts ended."""

    column: Column
    rate: Rate
    catches: list[Catch]
    passed: list[TaskRow]
    unknown: list[TaskRow]

    @property
    def failed_as_it_should(self) -> bool:
        """Whether every attempt has a grade and none passed."""
        return not self.passed and not self.unknown


def make_cheat(column: Column, attempts: Iterable[tuple[TaskRow, Attempt]]) -> Cheat:
    """Sums up the attempts of one cheat."""
    graded = list(attempts)
    catches: dict[str, dict[str, TaskRow]] = defaultdict(dict)
    evidence: dict[str, str] = {}
    for task, attempt in graded:
        if attempt.caught_by:
            catches[attempt.caught_by][task.anchor] = task
            evidence.setdefault(attempt.caught_by, _evidence(attempt))
    return Cheat(
        column=column,
        rate=rate_of(attempt for _, attempt in graded),
        catches=[Catch(item, evidence[item], list(tasks.values())) for item, tasks in catches.items()],
        passed=_distinct(task for task, attempt in graded if attempt.passed is True),
        unknown=_distinct(task for task, attempt in graded if attempt.passed is None),
    )


def cheats_summary(cheats: Iterable[Cheat]) -> str:
    """The line that stands for all cheats: `46 cheats: all failed as they should`."""
    all_cheats = list(cheats)
    total = len(all_cheats)
    cheats_word = "1 cheat" if total == 1 else f"{total:,} cheats"
    passed = sum(bool(cheat.passed) for cheat in all_cheats)
    unclear = sum(not cheat.passed and bool(cheat.unknown) for cheat in all_cheats)
    if not passed and not unclear:
        return f"{cheats_word}: {'it failed as it should' if total == 1 else 'all failed as they should'}"
    parts = [f"{passed} passed and should not have"] if passed else []
    parts += [f"{unclear} without a grade on some task"] if unclear else []
    parts += [f"{total - passed - unclear} failed as they should"]
    return f"{cheats_word}: {'; '.join(parts)}"


def _distinct(tasks: Iterable[TaskRow]) -> list[TaskRow]:
    return list({task.anchor: task for task in tasks}.values())


def _evidence(attempt: Attempt) -> str:
    """The evidence of the item that failed the attempt."""
    evidence = (
        verdict.evidence
        for verdict in attempt.verdicts
        if verdict.item == attempt.caught_by and verdict.status == "unmet"
    )
    return next(evidence, "")
