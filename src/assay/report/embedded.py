"""The attempts as data inside the page: columns of numbers, texts once each, deflated.

The page unpacks them and draws the grid and the attempts itself, so that ten thousand attempts stay below
the report's three megabytes. Long texts are cut, those of met items first; the page says how much is cut.
"""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Callable
from typing import Any

from assay.report.page import Page
from assay.scoring import Attempt
from assay.scoring.failures import FOLLOWS, Insight
from assay.scoring.scorecards.phase_ladder import STEPS

MOST_BYTES = 2_000_000
"""What the deflated data may take; as text in the page it is a third more."""

MOST_RAW = 40_000_000
"""More than this is not even tried: a browser would take seconds to read it."""

CUT = "\x1f"
"""Stands between a text that was cut and the number of characters that are missing."""

_STEPS = ((8000, 8000, 1.0), (3000, 600, 1.0), (1000, 200, 0.5), (400, 80, 0.25), (160, 30, 0.1), (80, 0, 0))
"""Characters kept of evidence against, of evidence for, and the share of diffs; from much to little."""


def embedded(page: Page) -> str:
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
        known = self._places.get(item)
        if known is None:
            known = self._places[item] = len(self.items)
            self.items.append(item)
        return known


class _Data:
    """The table of one page with texts of some length."""

    def __init__(self, page: Page, against: int, favour: int, diffs: float) -> None:
        self.page = page
        self.against = against
        self.favour = favour
        self.texts = _Interned()
        self.heads = _Interned()
        self.insights = _Interned()
        self.insights.place(None)
        self.diffs = _share(page.diffs, diffs)
        self.types = {name: place for place, name in enumerate(page.types)}

    def table(self) -> dict[str, Any]:
        """Everything, as plain lists."""
        page = self.page
        attempts = self._attempts(page.ordered)
        return {
            "cut": self.against,
            "commands": page.commands,
            "steps": STEPS,
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
                    self._cut(task.asked, self.against * 4),
                ]
                for task in page.tasks
            ],
            "agents": [
                [one.anchor, one.label, one.card.agent, one.card.model, one.card.role, one.card.description]
                for one in page.columns
            ],
            "types": [[one.id, one.phase, one.title, one.by] for one in page.types.values()],
            "attempts": attempts,
            "heads": self.heads.items,
            "insights": self.insights.items,
            "texts": self.texts.items,
            "diffs": self.diffs,
        }

    def _attempts(self, ordered: list[tuple[int, int, Attempt]]) -> dict[str, Any]:
        columns: dict[str, list[Any]] = {
            "task": [task for task, _, _ in ordered],
            "agent": [agent for _, agent, _ in ordered],
            "verdicts": [self._verdicts(attempt) for _, _, attempt in ordered],
            "lost": [self._insight(self.page.lost.get(attempt.key)) for _, _, attempt in ordered],
            "notices": [
                [self._text(text) for one in attempt.notices for text in (one.flag, one.evidence)]
                for _, _, attempt in ordered
            ],
        }
        attempts = [attempt for _, _, attempt in ordered]
        for name, read in self._readers().items():
            columns[name] = [read(attempt) for attempt in attempts]
        return {name: values for name, values in columns.items() if any(_told(value) for value in values)}

    def _readers(self) -> dict[str, Callable[[Attempt], Any]]:
        return {
            "epoch": lambda one: one.epoch,
            "outcome": lambda one: ("passed", "failed", "unknown").index(one.outcome),
            "owner": lambda one: self._text(one.owner),
            "caught": lambda one: self._text(one.caught_by),
            "error": lambda one: self._text(one.error),
            "limit": lambda one: self._text(one.limit),
            "score": lambda one: one.score,
            "deviation": lambda one: one.standard_error,
            "normalised": lambda one: _rounded(one.normalised, 4),
            "tokens": lambda one: one.tokens or None,
            "cost": lambda one: _rounded(one.cost, 6),
            "seconds": lambda one: _rounded(one.seconds, 1),
            "working": lambda one: _rounded(one.working_seconds, 1),
            "grading": lambda one: _rounded(one.grading_seconds, 1),
            "submission": lambda one: one.submission or None,
            "log": lambda one: self._text(one.log or None),
            "sample": lambda one: one.sample or None,
            "checkpoints": lambda one: [
                [_rounded(each.seconds, 1), _rounded(each.normalised, 4), int(each.valid), each.note[:200]]
                for each in one.checkpoints
            ],
            "runs": lambda one: one.runs and [one.runs.made, one.runs.first_crashed, one.runs.recovered],
        }

    def _verdicts(self, attempt: Attempt) -> list[int]:
        """Three numbers for each verdict: item, status and owner; evidence; insight."""
        flat: list[int] = []
        for verdict in attempt.verdicts:
            longest = self.favour if verdict.status == "met" else self.against
            insight = self.page.insights.get((attempt.key, verdict.item)) if verdict.status != "met" else None
            flat += (
                self.heads.place((verdict.item, verdict.status, verdict.owner)),
                self.texts.place(self._cut(verdict.evidence, longest)),
                self._insight(insight),
            )
        return flat

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


def _told(value: Any) -> bool:
    return value is not None and value != [] and value != 0


def _rounded(value: float | None, digits: int) -> float | None:
    return None if value is None else round(value, digits)


def _share(diffs: dict[str, str], share: float) -> dict[str, str]:
    """The first diffs, up to a share of what all may take."""
    from assay.report.diffs import MOST

    left = MOST * share
    kept = {}
    for name, text in diffs.items():
        if len(text) <= left:
            kept[name] = text
            left -= len(text)
    return kept
