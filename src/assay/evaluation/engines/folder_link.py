"""Connects workers with their run through a shared folder, where no other connection is possible.

Each file has one writer, so that no update is lost, whatever the file system does with two writers at once.
The one exception is the account of requests, which a lock protects; without working locks, requests are not
limited exactly.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

from assay.agents.request_rate import FolderRate
from assay.evaluation.events import Finished, Started, Waiting
from assay.files import publish

_KINDS: dict[str, type[Finished] | type[Started] | type[Waiting]] = {
    "finished": Finished,
    "started": Started,
    "waiting": Waiting,
}


class FolderLink(FolderRate):
    """The worker's end: it writes files of its own and reads those of the others."""

    def __init__(self, folder: Path, node: str) -> None:
        super().__init__(folder)
        self.node = node
        self._folder = folder
        self._worker = secrets.token_hex(8)
        self._spent = 0.0

    def begin_batch(self, number: int) -> bool:
        """Note that this worker begins a batch; return True if another worker began it earlier."""
        folder = self._folder / "begun" / str(number)
        folder.mkdir(parents=True, exist_ok=True)
        was_begun = any(folder.iterdir())
        (folder / self._worker).touch()
        return was_begun

    def report(self, event: Finished | Started | Waiting) -> None:
        """Add an event to this worker's file."""
        folder = self._folder / "events"
        folder.mkdir(parents=True, exist_ok=True)
        line = json.dumps({"kind": type(event).__name__.lower(), **asdict(event)})
        with (folder / f"{self._worker}.jsonl").open("a", encoding="utf-8") as events:
            events.write(line + "\n")

    def add(self, dollars: float) -> None:
        """Note that this much was spent."""
        self._spent += dollars
        publish(self._folder / "spent" / f"{self._worker}.json", repr(self._spent))

    def total(self) -> float:
        """Return what all workers of the run have spent."""
        return sum(float(path.read_text()) for path in (self._folder / "spent").glob("*.json"))


class EventFiles:
    """The driver's end: reads the events of all workers, each once."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder / "events"
        self._offsets: dict[str, int] = {}

    def new_events(self) -> Iterator[Finished | Started | Waiting]:
        """Yield the events since the last call; a line that is not complete waits for the next call."""
        for path in sorted(self._folder.glob("*.jsonl")):
            with path.open("rb") as events:
                events.seek(self._offsets.get(path.name, 0))
                complete, _, _ = events.read().rpartition(b"\n")
            if complete:
                self._offsets[path.name] = self._offsets.get(path.name, 0) + len(complete) + 1
                yield from map(_read_event, complete.splitlines())


def _read_event(line: bytes) -> Finished | Started | Waiting:
    fields = json.loads(line)
    return _KINDS[fields.pop("kind")](**fields)
