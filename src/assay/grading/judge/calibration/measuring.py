"""A judge put to the labelled items, one after the other."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from assay.grading.judge.asking import Judge
from assay.grading.judge.calibration.labelled import Labelled
from assay.grading.verdict import Status, Vote
from assay.tasks.metric import Strict


class Judged(Strict):
    """What a judge said of one labelled item."""

    id: str
    phase: str
    fault: str
    label: Status
    verdict: Status
    votes: list[Vote]


async def measure(
    judge: Judge, items: Sequence[Labelled], tell: Callable[[Judged], None] | None = None
) -> list[Judged]:
    """The judge's verdict on each item; `tell` is called as each is known."""
    rows = []
    for item in items:
        decision = await judge.decide(item.question())
        row = Judged(
            id=item.id,
            phase=item.phase,
            fault=item.fault,
            label=item.label,
            verdict=decision.status,
            votes=list(decision.votes),
        )
        rows.append(row)
        if tell is not None:
            tell(row)
    return rows
