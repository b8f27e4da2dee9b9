"""The ledger of a long attempt: what it has used and left so far, so that an interrupted one goes on.

Challenges keep one, since they run for hours. Other attempts have one only if they broke off, for example
because the service of the model failed: another try has what the first one left of its limits. It lies
beside the logs while the attempt is being made and is removed once the attempt is graded. The conversation
is not in it: an agent that goes on finds its files, its plan and notes, and what is left of its budget.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from inspect_ai.solver import TaskState
from pydantic import JsonValue, ValidationError

from assay.files import publish
from assay.tasks.metric import Strict
from assay.workspace import Submission, submissions_folder

FOLDER = "unfinished"


class Moment(Strict):
    """What the workspace held at one time of an attempt."""

    seconds: float
    submission: str
    """The hash under which it is archived."""


class Entry(Strict):
    """All that is known of an attempt that has not ended."""

    seconds: float = 0.0
    tokens: int = 0
    turns: int = 0
    cost: float = 0.0
    submission: str | None = None
    """What was in the workspace last."""
    moments: list[Moment] = []
    store: dict[str, JsonValue] = {}
    """What the agent keeps outside its conversations, by the key in Inspect's store."""


class Ledger:
    """One attempt's entry on disk."""

    def __init__(self, folder: Path, name: str) -> None:
        self._folder = folder
        self._entry = folder / f"{name}.json"
        self._work = folder / name

    @staticmethod
    def of(state: TaskState) -> Ledger:
        """That of the attempt which is being made."""
        metadata = state.metadata["assay"]
        number = metadata["attempts"][state.epoch - 1]
        key = (metadata["agent"], str(state.model), metadata["task"], metadata["digest"], number)
        return Ledger.at(submissions_folder().parent, key)

    @staticmethod
    def at(logs: Path, key: tuple[str, str, str, str, int]) -> Ledger:
        """That of an attempt, from its agent, model, task, digest and number."""
        name = hashlib.sha256(json.dumps(key).encode()).hexdigest()[:32]
        return Ledger(logs / FOLDER, name)

    def read(self) -> tuple[Entry, Submission | None]:
        """What was used before, and what was left; nothing where the attempt is a new one."""
        try:
            entry = Entry.model_validate_json(self._entry.read_bytes())
        except (OSError, ValidationError):
            return Entry(), None
        if entry.submission is None or not (self._work / f"{entry.submission}.tar").is_file():
            return entry, None
        return entry, Submission.load(self._work, entry.submission)

    def write(self, entry: Entry, work: Submission | None) -> Entry:
        """Keep what was used and what is there now; where nothing could be read, what was there before."""
        if work is not None:
            entry = entry.model_copy(update={"submission": work.store(self._work)})
        publish(self._entry, entry.model_dump_json(), private=True)
        for old in self._work.glob("*.tar"):
            if old.stem != entry.submission:
                old.unlink()
        return entry

    def forget(self) -> None:
        """Remove it: the attempt is graded."""
        for path in [*self._work.glob("*"), self._entry]:
            path.unlink(missing_ok=True)
        for folder in (self._work, self._folder):
            if folder.is_dir() and not any(folder.iterdir()):
                folder.rmdir()
