"""Results of challenges that count again within one proof, where nothing that they depend on differs.

A challenge is built and scored in a clean copy of its workspace with the submission laid over it, and in
nothing else. Two submissions that give the same copy, byte for byte, have the same build. So a proof with
dozens of agents makes it once. What was handed in is still judged for each submission. In the same way, an
evaluator that sees artefacts alone reads equal artefacts once.

What it does not cover: agents that are measured. Each of their attempts is built by itself. So are those of
the oracle, whose scores show the noise, and the control submission, which tests the machine.
"""

from __future__ import annotations

import asyncio
import fcntl
import hashlib
import secrets
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from assay.files import publish
from assay.grading.merging import merge
from assay.run_context import run_context
from assay.tasks import Task
from assay.version import __version__
from assay.workspace import Submission
from assay.workspace.made_with import made_with

_WAIT = 1.0

_always_build: ContextVar[bool] = ContextVar("assay_always_build", default=False)


@contextmanager
def always_built() -> Iterator[None]:
    """Whatever is graded in this block is built, whether the result is known or not."""
    token = _always_build.set(True)
    try:
        yield
    finally:
        _always_build.reset(token)


@dataclass(frozen=True)
class KeptResults:
    """Where results of a run are kept; without a folder every submission is built and scored."""

    folder: Path | None = None

    @asynccontextmanager
    async def turn(self, task: Task, submission: Submission) -> AsyncIterator[None]:
        """Wait until nobody else builds the same workspace, so that the result can be used."""
        if self.folder is None or task.assay.challenge is None or _always_build.get():
            yield
            return
        self.folder.mkdir(parents=True, exist_ok=True)
        workspace = await asyncio.to_thread(workspace_name, task, submission)
        with (self.folder / f"{workspace}.lock").open("w") as handle:
            while not _takes(handle):
                await asyncio.sleep(_WAIT)
            yield

    def read(self, name: str) -> list[bytes]:
        """The results of this name; none for what is always built."""
        if self.folder is None or _always_build.get():
            return []
        return [file.read_bytes() for file in sorted(self.folder.glob(f"{name}-*.json"))]

    def keep(self, name: str, result: bytes | str) -> None:
        """Keep a result beside others of its name."""
        if self.folder is not None:
            publish(self.folder / f"{name}-{secrets.token_hex(8)}.json", result)


def kept_results() -> KeptResults:
    """The results that the present run keeps."""
    return run_context().part(KeptResults)


def workspace_name(task: Task, submission: Submission) -> str:
    """Name a workspace by its contents, and by what it is built with."""
    return _name(task, merge(task, submission).digest)


def artefacts_name(task: Task, artefacts: Mapping[str, bytes | Path]) -> str:
    """Name artefacts by their contents, and by what they are evaluated with."""
    hasher = hashlib.sha256()
    for path, data in sorted(artefacts.items()):
        content = data if isinstance(data, bytes) else data.read_bytes()
        hasher.update(f"\0{path}\0{len(content)}\0".encode() + content)
    return _name(task, f"artefacts {hasher.hexdigest()}")


def _name(task: Task, contents: str) -> str:
    parts = (task.digest, contents, made_with([task]), __version__)
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:32]


def _takes(handle: IO[str]) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
