"""Archived hand-ins of a real agent: what it left for each task, when, and how it was kept from peeking.

A recording is a folder:
    record.toml     read by `Recording`; it also lists empty folders and links
    TASK/…          the files that the agent changed or added, one folder (or tar) for each hand-in

Digests in record.toml show that a file was altered, is missing or was added.

What it does not cover: whether a recording tells the truth about its agent, and a change of record.toml
itself. Grading is live, the rest is the word of whoever made the recording.
"""

from __future__ import annotations

import datetime
import hashlib
import os
import tarfile
from collections.abc import Mapping
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import Annotated

import tomlkit
from pydantic import ConfigDict, Field, field_validator

from assay.errors import TaskError, UsageError
from assay.tasks.files import RelativePath, check_path, read_plain, read_tree, write_tree
from assay.tasks.folder import MOST_TEXT
from assay.tasks.metric import Strict
from assay.tasks.model import parse_toml
from assay.workspace import Submission

RECORD = "record.toml"
SHIPPED = Path(__file__).parents[1] / "benchmarks"
"""Benchmarks that ship with Assay keep recordings in `data/_recorded/NAME/`."""
RECORDED = "_recorded"
MOST_TAR_BYTES = 256 << 20
MOST_NAMED = 3


Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


class RecordedHandIn(Strict):
    """What the agent left for one task, once."""

    task: str
    """The id of the task."""
    digest: str = Field(pattern=r"^[0-9a-f]{64}$")
    """The digest of the task when the agent tried it."""
    files: RelativePath
    """A folder or a .tar below the recording, with the files that the agent changed or added."""
    attempt: int = Field(default=1, ge=1)
    """Which attempt at the task it was."""
    deleted: list[RelativePath] = []
    """Files of the workspace that the agent deleted."""
    executable: list[RelativePath] = []
    """Files with the executable bit."""
    folders: list[RelativePath] = []
    """New folders without a file."""
    links: dict[RelativePath, str] = {}
    """Links to paths that every sandbox of the task has, and their targets."""
    seconds: float | None = Field(default=None, ge=0, allow_inf_nan=False)
    """How long the agent worked, if this is known."""
    sha256: dict[RelativePath, Sha256] | None = None
    """Each file with the digest of its content. Recordings of earlier versions have none."""


class Recording(Strict):
    """All of record.toml."""

    model_config = ConfigDict(ignored_types=(cached_property,))

    @field_validator("date")
    @classmethod
    def _check_day(cls, text: str) -> str:
        with suppress(ValueError):
            if datetime.date.fromisoformat(text).isoformat() == text:
                return text
        raise ValueError(f"expected a day such as 2026-11-16, found {text!r}")

    name: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$")
    """The name of the agent in tables."""
    date: str
    """The day on which the agent worked."""
    agent: str = Field(min_length=1)
    """What kind of agent it was, in words."""
    model: str | None = None
    """Its model, if this is known."""
    isolation: str = Field(min_length=1)
    """How the agent was prevented from seeing solutions, tests and certificates."""
    hand_in: list[RecordedHandIn] = []
    """The hand-ins."""

    @cached_property
    def by_attempt(self) -> dict[tuple[str, int], RecordedHandIn]:
        """Task and number of the attempt → the hand-in."""
        return {(hand_in.task, hand_in.attempt): hand_in for hand_in in self.hand_in}

    @property
    def description(self) -> str:
        """The agent in one sentence."""
        model = self.model or "unknown"
        return f"Recorded {self.date}, graded now: {self.agent}; model {model}; {self.isolation}."

    @property
    def without_digests(self) -> int:
        """How many hand-ins have no digests of their files, so that a change would not be noticed."""
        return sum(hand_in.sha256 is None for hand_in in self.hand_in)


def read_recording(folder: Path) -> Recording:
    """Read record.toml of a folder; two hand-ins for one attempt are an error."""
    path = folder / RECORD
    if not path.is_file():
        raise UsageError(f"{folder} has no {RECORD}, so it is no recording", hint="`assay record` makes one")
    recording = parse_toml(read_plain(path, str(path), MOST_TEXT), Recording, str(path))
    if len(recording.by_attempt) < len(recording.hand_in):
        raise TaskError(str(path), "two hand-ins have the same task and attempt")
    for hand_in in recording.hand_in:
        place = _place(folder, hand_in)
        if not place.exists():
            raise TaskError(str(place), "is missing, expected the files of a hand-in", hint="copy it there")
    return recording


def find_recordings(name: str) -> list[Path]:
    """Return the folders of a recording: the folder of this name, or those that ship under the name."""
    if (Path(name) / RECORD).is_file():
        return [Path(name)]
    shipped = sorted(SHIPPED.glob(f"*/data/{RECORDED}/*/{RECORD}"))
    folders = [path.parent for path in shipped if path.parent.name == name]
    if not folders:
        names = ", ".join(sorted({path.parent.name for path in shipped})) or "none"
        raise UsageError(
            f"there is no recording {name!r}",
            hint=f"name a folder with {RECORD}, or one that ships: {names}",
        )
    return folders


def shipped_names(suite: str) -> list[str]:
    """Return the names of the recordings that ship with a benchmark."""
    return sorted(path.parent.name for path in (SHIPPED / suite / "data" / RECORDED).glob(f"*/{RECORD}"))


def read_hand_in(folder: Path, hand_in: RecordedHandIn) -> Submission:
    """Return what a hand-in left in the workspace; files that changed since are refused."""
    files = _read_files(folder, hand_in)
    _check_digests(folder, hand_in, files)
    return Submission(
        files=files,
        deleted=tuple(hand_in.deleted),
        executable=tuple(hand_in.executable),
        folders=tuple(hand_in.folders),
        links=dict(hand_in.links),
    )


def digests_of(files: Mapping[str, bytes]) -> dict[str, str]:
    """File → SHA-256 of its content."""
    return {path: hashlib.sha256(data).hexdigest() for path, data in sorted(files.items())}


def _check_digests(folder: Path, hand_in: RecordedHandIn, files: Mapping[str, bytes]) -> None:
    recorded, digests = hand_in.sha256, digests_of(files)
    if recorded is None or recorded == digests:
        return
    changes = {
        "altered": [path for path in recorded if path in digests and digests[path] != recorded[path]],
        "missing": [path for path in recorded if path not in digests],
        "additional": [path for path in digests if path not in recorded],
    }
    described = "; ".join(
        f"{len(paths)} {change} ({', '.join(ascii(path) for path in paths[:MOST_NAMED])})"
        for change, paths in changes.items()
        if paths
    )
    raise TaskError(
        str(_place(folder, hand_in)),
        f"files are not those that were recorded: {described}",
        hint="copy the recording again, or record the agent again",
    )


def _place(folder: Path, hand_in: RecordedHandIn) -> Path:
    """Return where the files of a hand-in are; a link that leads out of the recording is refused."""
    path = folder / hand_in.files
    if not Path(os.path.realpath(path)).is_relative_to(os.path.realpath(folder)):
        raise TaskError(
            str(folder / RECORD),
            f"`files` = {hand_in.files!r} leads out of the recording through a link",
            hint="copy the files of the hand-in into the folder of the recording",
        )
    return path


def _read_files(folder: Path, hand_in: RecordedHandIn) -> dict[str, bytes]:
    """Return the files of a hand-in by path; all but plain files are refused."""
    path = _place(folder, hand_in)
    if path.suffix == ".tar" and path.is_file():
        return _read_tar(path)
    if not path.is_dir():
        raise TaskError(str(path), "is missing, expected the files of a hand-in", hint="copy it there")
    return read_tree(path, str(path))


def _read_tar(path: Path) -> dict[str, bytes]:
    files: dict[str, bytes] = {}
    left = MOST_TAR_BYTES
    with tarfile.open(path) as tar:
        for member in tar:
            if member.isdir():
                continue
            stream = tar.extractfile(member) if member.isreg() else None
            if stream is None or member.size > left:
                raise TaskError(f"{path}: {member.name!a}", "is no plain file, or too large")
            try:
                name = check_path(member.name.removeprefix("./"))
            except ValueError as error:
                raise TaskError(str(path), str(error)) from None
            files[name] = stream.read()
            left -= member.size
    return files


def write_hand_in(folder: Path, hand_in: RecordedHandIn, submission: Submission) -> None:
    """Write the files of one hand-in into a recording's folder; record.toml lists what is no file."""
    target = folder / hand_in.files
    target.mkdir(parents=True, exist_ok=True)
    write_tree(submission.files, target)


def write_recording(folder: Path, recording: Recording) -> None:
    """Write record.toml; the files of the hand-ins are already there."""
    table = recording.model_dump(exclude_defaults=True, exclude_none=True)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / RECORD).write_text(tomlkit.dumps(table))
