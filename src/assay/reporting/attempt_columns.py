"""Attempts as columns of numbers, and their texts once each.

Columns of the outline are what tables, filters and links need. Columns of the details are what an opened
attempt shows; in a very large report they are in files of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from assay.grading.checkpoint import Checkpoint
from assay.grading.verdict import Verdict
from assay.reporting.page import ReportPage
from assay.scoring import Attempt
from assay.scoring.failures import FOLLOWS, Insight
from assay.scoring.failures.rules import recognise
from assay.scoring.scorecards.over_time import is_empty

CUT = "\x1f"
"""Stands between a text that was cut and the number of characters that are missing."""

Places = Sequence[tuple[int, int, Attempt]]
"""Attempts with the places of their task and agent."""


class TextLimits(NamedTuple):
    """How much of the texts is kept."""

    against: int
    """Characters of evidence against a submission, and of other texts."""
    favour: int
    """Characters of evidence of items that are met."""
    share: float
    """The share of diffs and transcripts."""


class Interned:
    """Things that are written once and then named by their place."""

    def __init__(self) -> None:
        self.items: list[Any] = []
        self._places: dict[Any, int] = {}

    def place(self, item: Any) -> int:
        """Where an item stands."""
        place = self._places.get(item)
        if place is None:
            place = self._places[item] = len(self.items)
            self.items.append(item)
        return place


class AttemptColumns:
    """The columns of some attempts of a page, with the lists that their numbers point to."""

    def __init__(self, page: ReportPage, limits: TextLimits) -> None:
        self.page = page
        self.limits = limits
        self.texts = Interned()
        self.heads = Interned()
        """Item, status and owner of a verdict."""
        self.insights = Interned()
        self.insights.place(None)
        self.shapes = Interned()
        """The verdicts of an attempt without evidence: head, insight, head, insight, …"""
        self._types = {name: place for place, name in enumerate(page.types)}

    def outline(self, places: Places) -> dict[str, list[Any]]:
        """What tables, filters and links need."""
        attempts = [attempt for _, _, attempt in places]
        columns: dict[str, list[Any]] = {
            "task": [task for task, _, _ in places],
            "agent": [agent for _, agent, _ in places],
            "shape": [self._shape(attempt) for attempt in attempts],
            "lost": [self._insight(self.page.ungraded.get(attempt.key)) for attempt in attempts],
        }
        return _with_values(columns, attempts, self._outline_readers())

    def details(self, places: Places) -> dict[str, list[Any]]:
        """What an opened attempt shows beside its outline."""
        attempts = [attempt for _, _, attempt in places]
        columns: dict[str, list[Any]] = {
            "evidence": [self._evidence(attempt) for attempt in attempts],
            "notices": [
                [self._text(text) for notice in attempt.notices for text in (notice.flag, notice.evidence)]
                for attempt in attempts
            ],
        }
        return _with_values(columns, attempts, self._detail_readers())

    def cut(self, text: str, longest: int) -> str:
        """A text with no more than some characters, and how many are missing."""
        plain = text.replace(CUT, " ")
        return plain if len(plain) <= longest + 12 else f"{plain[:longest]}{CUT}{len(plain) - longest}"

    def _outline_readers(self) -> dict[str, Callable[[Attempt], Any]]:
        return {
            "epoch": lambda attempt: attempt.epoch,
            "outcome": lambda attempt: ("passed", "failed", "unknown").index(attempt.outcome),
            "caught": lambda attempt: self._text(attempt.caught_by),
            "limit": lambda attempt: self._text(attempt.limit),
            "normalised": lambda attempt: _rounded(attempt.normalised, 4),
            "runs": lambda attempt: (
                attempt.runs and [attempt.runs.made, attempt.runs.first_crashed, attempt.runs.recovered]
            ),
        }

    def _detail_readers(self) -> dict[str, Callable[[Attempt], Any]]:
        return {
            "owner": lambda attempt: self._text(attempt.owner),
            "error": lambda attempt: self._text(attempt.error),
            "score": lambda attempt: attempt.score,
            "deviation": lambda attempt: attempt.standard_error,
            "tokens": lambda attempt: attempt.tokens or None,
            "cost": lambda attempt: _rounded(attempt.cost, 6),
            "seconds": lambda attempt: _rounded(attempt.seconds, 1),
            "working": lambda attempt: _rounded(attempt.working_seconds, 1),
            "grading": lambda attempt: _rounded(attempt.grading_seconds, 1),
            "submission": lambda attempt: attempt.submission or None,
            "log": lambda attempt: self._text(attempt.log or None),
            "sample": lambda attempt: attempt.sample or None,
            "checkpoints": lambda attempt: [_checkpoint(checkpoint) for checkpoint in attempt.checkpoints],
            "gpu": lambda attempt: _gpu(attempt),
        }

    def _shape(self, attempt: Attempt) -> int:
        flat: list[int] = []
        for verdict in attempt.verdicts:
            insight = 0 if verdict.status == "met" else self._failure(attempt, verdict)
            flat += (self.heads.place((verdict.item, verdict.status, verdict.owner)), insight)
        return self.shapes.place(tuple(flat))

    def _evidence(self, attempt: Attempt) -> list[int]:
        """The text of each verdict, in the order of the shape."""
        against, favour, _ = self.limits
        return [
            self.texts.place(self.cut(verdict.evidence, favour if verdict.status == "met" else against))
            for verdict in attempt.verdicts
        ]

    def _failure(self, attempt: Attempt, verdict: Verdict) -> int:
        """The insight of an item that is not met; of calibrators only whether it follows from another."""
        insight = self.page.insights.get((attempt.key, verdict.item))
        if insight is None and attempt.role != "agent":
            follows = recognise(verdict.item, verdict.evidence) == FOLLOWS
            return self.insights.place((None, "rule", None, "")) if follows else 0
        return self._insight(insight)

    def _insight(self, insight: Insight | None) -> int:
        if insight is None:
            return 0
        kind = None if insight.type == FOLLOWS else self._types[insight.type]
        return self.insights.place((kind, insight.by, insight.fault, insight.because))

    def _text(self, text: str | None) -> int | None:
        return None if text is None else self.texts.place(self.cut(text, self.limits.against))


def _with_values(
    columns: dict[str, list[Any]],
    attempts: Sequence[Attempt],
    readers: dict[str, Callable[[Attempt], Any]],
) -> dict[str, list[Any]]:
    """All columns but those in which no attempt has a value."""
    columns |= {name: [read(attempt) for attempt in attempts] for name, read in readers.items()}
    return {name: values for name, values in columns.items() if any(_has_value(value) for value in values)}


def _checkpoint(checkpoint: Checkpoint) -> list[Any]:
    """Seconds, score, whether it is valid (2: nothing was handed in), and a note."""
    state = 2 if is_empty(checkpoint.submission) else int(checkpoint.valid)
    return [
        _rounded(checkpoint.seconds, 1),
        _rounded(checkpoint.normalised, 4),
        state,
        checkpoint.note[:200],
    ]


def _gpu(attempt: Attempt) -> list[float | None] | None:
    """GPU hours of the attempt and of its grading, and the peak of GPU memory in MB."""
    if attempt.gpu_hours is None and attempt.grading_gpu_hours is None:
        return None
    hours = [_rounded(attempt.gpu_hours, 4), _rounded(attempt.grading_gpu_hours, 4)]
    return [*hours, _rounded(attempt.gpu_peak_mb, 0)]


def _has_value(value: Any) -> bool:
    return value is not None and value != [] and value != 0


def _rounded(value: float | None, digits: int) -> float | None:
    return None if value is None else round(value, digits)
