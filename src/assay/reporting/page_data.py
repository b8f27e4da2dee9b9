"""The attempts as data of the page: columns of numbers, texts once each, deflated.

The page unpacks them and draws the grid and the attempts itself, so that ten thousand attempts stay below
the report's three megabytes. Long texts are cut, those of met items first; the page says how much is cut.

Beyond `MOST_EMBEDDED` attempts only their outline is in the page. Their details are in script files in a
folder beside it, each of which hands its data to the page: scripts are the only files that a page can load
from a disk as well as from a server.
"""

from __future__ import annotations

import base64
import hashlib
import json
import zlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeVar

from assay.reporting.attempt_columns import AttemptColumns, TextLimits
from assay.reporting.diffs import MOST
from assay.reporting.page import ReportPage
from assay.reporting.transcripts import MOST_CHARACTERS
from assay.scoring.scorecards.phase_items import TIME_LIMITS
from assay.scoring.scorecards.phase_ladder import STEPS

Item = TypeVar("Item")

MOST_EMBEDDED = 20_000
"""Attempts whose details are in the page itself."""

PART_SIZE = 1000
"""Attempts whose details are in one file."""

MOST_BYTES = 2_000_000
"""What the deflated data may take; as text in the page it is a third more."""

MOST_RAW = 40_000_000
"""More than this is not even tried: a browser would take seconds to read it."""

_LIMITS = (
    TextLimits(8000, 8000, 1.0),
    TextLimits(3000, 600, 1.0),
    TextLimits(1000, 200, 0.5),
    TextLimits(400, 80, 0.25),
    TextLimits(160, 30, 0.1),
    TextLimits(80, 0, 0),
)
"""From much to little."""


@dataclass(frozen=True)
class PageData:
    """What the page has, and the files beside it."""

    embedded: str
    parts: dict[str, str] = field(default_factory=dict)
    """File name → script."""


def embedded(page: ReportPage) -> PageData:
    """Tasks, agents and attempts in one piece."""
    return PageData(base64.b64encode(_packed(partial(_whole, page))).decode())


def divided(page: ReportPage, folder: str, part_size: int = PART_SIZE) -> PageData:
    """The outline of all attempts for the page, and their details in parts for a folder beside it."""
    parts = [partial(_part, page, first, part_size) for first in range(0, len(page.ordered), part_size)]
    packed_parts = [base64.b64encode(_packed(part)).decode() for part in parts]
    # The mark keeps a page from the parts of another one that was written to the same place.
    mark = hashlib.sha256("".join(packed_parts).encode()).hexdigest()[:16]
    outline = _outline(page, _LIMITS[0]) | {"parts": {"folder": folder, "size": part_size, "mark": mark}}
    return PageData(
        embedded=base64.b64encode(zlib.compress(_json(outline), 6)).decode(),
        parts={
            f"{number}.js": f'assayPart("{mark}",{number},"{packed}");\n'
            for number, packed in enumerate(packed_parts)
        },
    )


def _packed(make_table: Callable[[TextLimits], dict[str, Any]]) -> bytes:
    """A table, deflated, with as much text as there is room for."""
    packed = b""
    for limits in _LIMITS:
        text = _json(make_table(limits))
        if len(text) > MOST_RAW and limits != _LIMITS[-1]:
            continue
        packed = zlib.compress(text, 6)
        if len(packed) <= MOST_BYTES:
            break
    return packed


def _json(table: dict[str, Any]) -> bytes:
    return json.dumps(table, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode(
        errors="replace"
    )


def _whole(page: ReportPage, limits: TextLimits) -> dict[str, Any]:
    """Everything, as plain lists."""
    columns = AttemptColumns(page, limits)
    attempts = columns.outline(page.ordered) | columns.details(page.ordered)
    return {
        **_lists(page, columns),
        "attempts": attempts,
        "asked": _asked(page, columns, range(len(page.tasks))),
        **_beside(page, limits),
    }


def _outline(page: ReportPage, limits: TextLimits) -> dict[str, Any]:
    """What the page of a very large report has."""
    columns = AttemptColumns(page, limits)
    attempts = columns.outline(page.ordered)
    return {**_lists(page, columns), "attempts": attempts, "asked": {}, "diffs": {}, "transcripts": {}}


def _part(page: ReportPage, first: int, size: int, limits: TextLimits) -> dict[str, Any]:
    """The details of some attempts, with all that only they need."""
    places = page.ordered[first : first + size]
    columns = AttemptColumns(page, limits)
    attempts = columns.details(places)
    tasks = sorted({task for task, _, _ in places})
    submissions = {attempt.submission for _, _, attempt in places}
    samples = {attempt.sample for _, _, attempt in places}
    beside = _beside(page, limits)
    return {
        "first": first,
        "attempts": attempts,
        "texts": columns.texts.items,
        "asked": _asked(page, columns, tasks),
        "diffs": {name: diff for name, diff in beside["diffs"].items() if name in submissions},
        "transcripts": {name: steps for name, steps in beside["transcripts"].items() if name in samples},
    }


def _lists(page: ReportPage, columns: AttemptColumns) -> dict[str, Any]:
    """Tasks, agents and types, and the lists that columns point to: read it after the columns are made."""
    return {
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
        "heads": columns.heads.items,
        "insights": columns.insights.items,
        "shapes": columns.shapes.items,
        "texts": columns.texts.items,
    }


def _asked(page: ReportPage, columns: AttemptColumns, tasks: Iterable[int]) -> dict[int, str]:
    """Place of a task → its instruction."""
    longest = 4 * columns.limits.against
    return {task: columns.cut(page.tasks[task].instruction, longest) for task in tasks}


def _beside(page: ReportPage, limits: TextLimits) -> dict[str, Any]:
    """Diffs and transcripts, as many as there is room for."""
    diffs = _share(page.diffs, {name: len(text) for name, text in page.diffs.items()}, MOST * limits.share)
    lengths = {name: excerpt.characters for name, excerpt in page.transcripts.items()}
    excerpts = _share(page.transcripts, lengths, MOST_CHARACTERS * limits.share)
    return {
        "diffs": diffs,
        "transcripts": {
            sample: [excerpt.total, int(excerpt.is_cut), excerpt.source, excerpt.steps]
            for sample, excerpt in excerpts.items()
        },
    }


def _share(texts: dict[str, Item], lengths: dict[str, int], room: float) -> dict[str, Item]:
    """The first items that fit into the room."""
    kept_items = {}
    for name, item in texts.items():
        if lengths[name] <= room:
            kept_items[name] = item
            room -= lengths[name]
    return kept_items
