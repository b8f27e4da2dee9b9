"""The audit trail: one file of JSON lines for each reviewer, to which lines are only added.

A line is on the disk before the page shows its effect. A server that is killed while it writes leaves at most
one torn line at the end: the next server reports it, ends it and adds a line that says so.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from pydantic import AwareDatetime, ValidationError

from assay.errors import UsageError
from assay.tasks.metric import Strict
from assay.tasks.review_items import Choice

EventName = Literal["opened", "active", "decided", "settled", "undone", "based", "applied", "recovered"]
REVIEWER_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,39}")


class TrailEvent(Strict):
    """One line of a trail.

    - `opened`, `active`: the reviewer looks at a field, or still does something on its page.
    - `decided`: the reviewer's own decision. `settled`: the end of a difference between two reviewers.
    - `undone`: the event with the number `undoes` does not count.
    - `based`: the review is about the contents `digest`. `applied`: the review writes the contents `digest`.
    - `recovered`: the line before it was torn.
    """

    number: int
    """The order of all events in all trails of a review."""
    at: AwareDatetime
    reviewer: str
    event: EventName
    task: str = ""
    field: str = ""
    kind: str = ""
    """The kind of the field."""
    seen_digest: str = ""
    """The digest of the value that the reviewer saw."""
    choice: Choice | None = None
    value: str = ""
    reason: str = ""
    undoes: int | None = None
    digest: str = ""


class TrailFile:
    """The trail of one reviewer."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.reviewer = path.stem
        self._torn = False

    def read(self, report: Callable[[str], None]) -> list[TrailEvent]:
        """Read every whole line; `report` receives a line about one that was torn."""
        data = self.path.read_bytes() if self.path.is_file() else b""
        lines = data.split(b"\n")
        ending = lines.pop()
        events: list[TrailEvent] = []
        unread: int | None = None
        for number, line in enumerate(lines, 1):
            event = _parse(line)
            if unread is not None and (event is None or event.event != "recovered"):
                raise self._damaged(unread)
            unread = number if event is None else None
            events += [event] if event is not None else []
        if unread is not None:
            raise self._damaged(unread)
        if ending:
            self._torn = True
            event = _parse(ending)
            if event is not None:
                events.append(event)
            else:
                report(
                    f"{self.path}: the last line was torn ({len(ending)} bytes, a write that did not end); "
                    "everything before it counts"
                )
        return events

    def append(self, event: TrailEvent) -> None:
        """Add a line and wait until it is on the disk."""
        line = event.model_dump_json(exclude_defaults=True).encode() + b"\n"
        if self._torn:
            mark = event.model_copy(update={"event": "recovered"})
            fields = {"number", "at", "reviewer", "event"}
            line = b"\n" + mark.model_dump_json(include=fields).encode() + b"\n" + line
        self.path.parent.mkdir(parents=True, exist_ok=True)
        is_new = not self.path.exists()
        self._torn, was_torn = True, self._torn
        with self.path.open("ab", buffering=0) as file:
            written = file.write(line)
            if written != len(line):
                raise OSError(f"{self.path}: only {written} of {len(line)} bytes could be written")
            os.fsync(file.fileno())
        self._torn = False
        if is_new or was_torn:
            _sync_folder(self.path.parent)

    def _damaged(self, number: int) -> UsageError:
        return UsageError(
            f"{self.path}: line {number} is not an event of a review",
            hint="lines are only added to this file; put the line back as it was, or remove it",
        )


def now() -> datetime:
    """The time that events get."""
    return datetime.now(UTC)


def _parse(line: bytes) -> TrailEvent | None:
    try:
        return TrailEvent.model_validate_json(line)
    except ValidationError:
        return None


def _sync_folder(folder: Path) -> None:
    """Make sure that a new name in a folder is on the disk too."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
