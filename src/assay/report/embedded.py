"""The attempts as data inside the page, kept small enough for the whole to stay below its limit."""

from __future__ import annotations

from typing import Any

from assay.report.page import Page
from assay.report.wording import money_text, remaking_command, time_text
from assay.scoring import Attempt

MOST_BYTES = 2_000_000
"""What the data may take of the report's three megabytes."""

_STEPS = (8000, 2000, 600, 200, 80)
"""How much of each text is kept, tried from long to short until all fits."""


def embedded(page: Page) -> dict[str, Any]:
    """Tasks, agents and attempts; long texts are cut, and `cut` says to how many characters."""
    for longest in _STEPS:
        data = _data(page, longest)
        if _size(data) <= MOST_BYTES:
            break
    return data


def _data(page: Page, longest: int) -> dict[str, Any]:
    return {
        "cut": longest,
        "tasks": {
            task.anchor: {
                "id": task.task,
                "suite": task.suite,
                "title": task.title,
                "kind": task.kind,
                "n": task.n,
                "certified": task.certified,
                "digest": task.digest,
                "asked": _cut(task.asked, longest),
            }
            for task in page.tasks
        },
        "agents": {
            column.anchor: {
                "label": column.label,
                "role": column.card.role,
                "description": column.card.description,
            }
            for column in page.columns
        },
        "cells": {
            cell.anchor: [_attempt(attempt, longest) for attempt in cell.attempts]
            for cell in page.cells.values()
        },
    }


def _attempt(attempt: Attempt, longest: int) -> dict[str, Any]:
    shown = {
        "epoch": attempt.epoch,
        "outcome": attempt.outcome,
        "owner": attempt.owner,
        "caught": attempt.caught_by,
        "error": attempt.error and _cut(attempt.error, longest),
        "limit": attempt.limit,
        "score": attempt.score,
        "deviation": attempt.standard_error,
        "normalised": attempt.normalised,
        "tokens": attempt.tokens,
        "cost": None if attempt.cost is None else money_text(attempt.cost),
        "time": time_text(attempt.seconds),
        "working": time_text(attempt.working_seconds),
        "grading": time_text(attempt.grading_seconds),
        "submission": attempt.submission,
        "log": attempt.log,
        "sample": attempt.sample,
        "command": remaking_command(attempt),
        "verdicts": [
            [verdict.item, verdict.status, verdict.owner, _cut(verdict.evidence, longest)]
            for verdict in attempt.verdicts
        ],
        "notices": [[notice.flag, _cut(notice.evidence, longest)] for notice in attempt.notices],
    }
    return {name: value for name, value in shown.items() if value not in (None, "", [], "–")}


def _cut(text: str, longest: int) -> str:
    if len(text) <= longest:
        return text
    return f"{text[:longest]} … ({len(text) - longest:,} more characters stand in the log)"


def _size(data: dict[str, Any]) -> int:
    import json

    return len(json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode())
