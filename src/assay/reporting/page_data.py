"""The attempts as data inside the page: columns of numbers, texts once each, deflated.

The page unpacks them and draws the grid and the attempts itself, so that ten thousand attempts stay below
the report's three megabytes. Long texts are cut, those of met items first; the page says how much is cut.
"""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Callable
from typing import Any, TypeVar

from assay.grading.checkpoint import Checkpoint
from assay.grading.verdict import Verdict
from assay.reporting.diffs import MOST
from assay.reporting.page import ReportPage
from assay.reporting.transcripts import MOST_CHARACTERS
from assay.scoring import Attempt
from assay.scoring.failures import FOLLOWS, Insight
from assay.scoring.failures.rules import recognise
from assay.scoring.scorecards.over_time import is_empty
from assay.scoring.scorecards.phase_items import TIME_LIMITS
from assay.scoring.scorecards.phase_ladder import STEPS

Item = TypeVar("Item")

MOST_BYTES = 2_000_000
"""What the deflated data may take; as text in the page it is a third more."""

MOST_RAW = 40_000_000
"""More than this is not even tried: a browser would take seconds to read it."""

CUT = "\x1f"
"""Stands between a text that was cut and the number of characters that are missing."""

_STEPS = ((8000, 8000, 1.0), (3000, 600, 1.0), (1000, 200, 0.5), (400, 80, 0.25), (160, 30, 0.1), (80, 0, 0))
"""Characters kept of evidence against, of evidence for, and the share of diffs and transcripts; from much to
little."""


def embedded(page: ReportPage) -> str:
    """Tasks, agents and attempts, deflated and in base64."""
    packed = b""
    for against, favour, diffs in _STEPS:
        text = json.dumps(
            _Data(page, against, favour, diffs).table(),
            ensure_ascii=False,
            separators=(",", ":"),
            allow_nan=False,
        ).encode(errors="replace")
        if len(text) > MOST_RAW and (against, favour, diffs) != _STEPS[-1]:
            continue
        packed = zlib.compress(text, 6)
        if len(packed) <= MOST_BYTES:
            break
    return base64.b64encode(packed).decode()


class _Interned:
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


class _Data:
    """The table of one page with texts of some length."""

    def __init__(self, page: ReportPage, against: int, favour: int, diffs: float) -> None:
        self.page = page
        self.against = against
        self.favour = favour
        self.texts = _Interned()
        self.heads = _Interned()
        self.insights = _Interned()
        self.insights.place(None)
        self.diffs = _share(page.diffs, {name: len(text) for name, text in page.diffs.items()}, MOST * diffs)
        lengths = {name: excerpt.characters for name, excerpt in page.transcripts.items()}
        self.transcripts = _share(page.transcripts, lengths, MOST_CHARACTERS * diffs)
        self.types = {name: place for place, name in enumerate(page.types)}

    def table(self) -> dict[str, Any]:
        """Everything, as plain lists."""
        page = self.page
        attempts = self._attempts(page.ordered)
        return {
            "cut": self.against,
            "commands": page.commands,
            "steps": STEPS,
            "time_limits": TIME_LIMITS,
            "cited": page.citations.table(),
            "tasks": [
                [
                    task.anchor,
                    task.task,
                    task.suite,
                    task.title,
                    task.kind,
                    task.n or 0,
                    int(task.certified),
                    task.digest,
                    task.labels,
                    self._cut(task.instruction, self.against * 4),
                ]
                for task in page.tasks
            ],
            "agents": [
                [
                    column.anchor,
                    column.label,
                    column.card.agent,
                    column.card.model,
                    column.card.role,
                    column.card.description,
                ]
                for column in page.columns
            ],
            "types": [
                [failure_type.id, failure_type.phase, failure_type.title, failure_type.by]
                for failure_type in page.types.values()
            ],
            "attempts": attempts,
            "heads": self.heads.items,
            "insights": self.insights.items,
            "texts": self.texts.items,
            "diffs": self.diffs,
            "transcripts": {
                sample: [excerpt.total, int(excerpt.is_cut), excerpt.source, excerpt.steps]
                for sample, excerpt in self.transcripts.items()
            },
        }

    def _attempts(self, ordered: list[tuple[int, int, Attempt]]) -> dict[str, Any]:
        columns: dict[str, list[Any]] = {
            "task": [task for task, _, _ in ordered],
            "agent": [agent for _, agent, _ in ordered],
            "verdicts": [self._verdicts(attempt) for _, _, attempt in ordered],
            "lost": [self._insight(self.page.ungraded.get(attempt.key)) for _, _, attempt in ordered],
            "notices": [
                [self._text(text) for notice in attempt.notices for text in (notice.flag, notice.evidence)]
                for _, _, attempt in ordered
            ],
        }
        attempts = [attempt for _, _, attempt in ordered]
        for name, read in self._readers().items():
            columns[name] = [read(attempt) for attempt in attempts]
        return {
            name: values for name, values in columns.items() if any(_has_value(value) for value in values)
        }

    def _readers(self) -> dict[str, Callable[[Attempt], Any]]:
        return {
            "epoch": lambda attempt: attempt.epoch,
            "outcome": lambda attempt: ("passed", "failed", "unknown").index(attempt.outcome),
            "owner": lambda attempt: self._text(attempt.owner),
            "caught": lambda attempt: self._text(attempt.caught_by),
            "error": lambda attempt: self._text(attempt.error),
            "limit": lambda attempt: self._text(attempt.limit),
            "score": lambda attempt: attempt.score,
            "deviation": lambda attempt: attempt.standard_error,
            "normalised": lambda attempt: _rounded(attempt.normalised, 4),
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
            "runs": lambda attempt: (
                attempt.runs and [attempt.runs.made, attempt.runs.first_crashed, attempt.runs.recovered]
            ),
        }

    def _verdicts(self, attempt: Attempt) -> list[int]:
        """Three numbers for each verdict: item, status and owner; evidence; insight."""
        flat: list[int] = []
        for verdict in attempt.verdicts:
            longest = self.favour if verdict.status == "met" else self.against
            insight = 0 if verdict.status == "met" else self._failure(attempt, verdict)
            flat += (
                self.heads.place((verdict.item, verdict.status, verdict.owner)),
                self.texts.place(self._cut(verdict.evidence, longest)),
                insight,
            )
        return flat

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
        kind = None if insight.type == FOLLOWS else self.types[insight.type]
        return self.insights.place((kind, insight.by, insight.fault, insight.because))

    def _text(self, text: str | None) -> int | None:
        return None if text is None else self.texts.place(self._cut(text, self.against))

    @staticmethod
    def _cut(text: str, longest: int) -> str:
        plain = text.replace(CUT, " ")
        return plain if len(plain) <= longest + 12 else f"{plain[:longest]}{CUT}{len(plain) - longest}"


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


def _share(texts: dict[str, Item], lengths: dict[str, int], room: float) -> dict[str, Item]:
    """The first items that fit into the room."""
    kept_items = {}
    for name, item in texts.items():
        if lengths[name] <= room:
            kept_items[name] = item
            room -= lengths[name]
    return kept_items
