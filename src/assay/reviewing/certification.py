"""Proves changed tasks again in the background: the source's own command, in a child process.

The child ends with the server, also if the server is killed. What it has done is kept, so the next run of the
same command continues.
"""

from __future__ import annotations

import asyncio
import ctypes
import os
import signal
import subprocess
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Literal

from pydantic import ValidationError

from assay.files import publish
from assay.tasks.metric import Strict

STATE = "certification.json"
LOG = "certification.log"
SHOWN_BYTES = 3_000
_PARENT_DEATH_SIGNAL = 1
_PATIENCE_SECONDS = 10.0

RunState = Literal["impossible", "idle", "running", "finished", "failed", "stopped"]


class CertificationRecord(Strict):
    """certification.json: the last run."""

    digest: str
    """The contents that it proves."""
    returncode: int | None = None
    """None while it runs, and after a kill."""


class CertificationStatus(Strict):
    """What the page shows."""

    state: RunState
    seconds: float | None = None
    lines: list[str] = []
    """The last lines that the command printed."""
    outdated: bool = False
    """Whether the reviewed file has changed since the run began."""


class CertificationRun:
    """The child process, and what is known about its last run."""

    def __init__(self, folder: Path, command: Sequence[str] | None, digest: Callable[[], str]) -> None:
        self._folder = folder
        self._command = command
        self._digest = digest
        self._process: subprocess.Popen[bytes] | None = None
        self._started = 0.0
        self._turn = asyncio.Lock()

    @property
    def is_interrupted(self) -> bool:
        """Whether a run began and did not end, because its server ended."""
        record = self._record()
        return self._process is None and record is not None and record.returncode is None

    def proves(self, digest: str) -> bool:
        """Whether the last run is about these contents."""
        record = self._record()
        return record is not None and record.digest == digest

    def status(self) -> CertificationStatus:
        """Return the state of the run, with its last lines."""
        if self._command is None:
            return CertificationStatus(state="impossible")
        self._reap()
        record = self._record()
        if record is None:
            return CertificationStatus(state="idle")
        state: RunState = "stopped"
        if self._process is not None:
            state = "running"
        elif record.returncode is not None:
            state = "finished" if record.returncode == 0 else "failed"
        return CertificationStatus(
            state=state,
            seconds=time.monotonic() - self._started if self._process is not None else None,
            lines=self._last_lines(),
            outdated=self._is_outdated(record),
        )

    async def start(self) -> None:
        """Prove the present contents; a run about older contents is stopped first."""
        if self._command is None:
            return
        async with self._turn:
            self._reap()
            digest = self._digest()
            if self._process is not None and self.proves(digest):
                return
            await self._end()
            self._write(CertificationRecord(digest=digest))
            with (self._folder / LOG).open("wb") as log:
                self._process = subprocess.Popen(
                    self._command,
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=subprocess.STDOUT,
                    process_group=0,
                    preexec_fn=_end_with_parent,
                )
            self._started = time.monotonic()

    async def stop(self) -> None:
        """End the child; the next start continues what it did."""
        async with self._turn:
            await self._end()

    async def _end(self) -> None:
        process = self._process
        if process is None:
            return
        for signal_number in (signal.SIGINT, signal.SIGKILL):
            if process.poll() is not None:
                break
            os.killpg(process.pid, signal_number)
            deadline = time.monotonic() + _PATIENCE_SECONDS
            while process.poll() is None and time.monotonic() < deadline:
                await asyncio.sleep(0.05)
        process.wait()
        self._process = None

    def _reap(self) -> None:
        if self._process is None or self._process.poll() is None:
            return
        record = self._record()
        if record is not None:
            self._write(record.model_copy(update={"returncode": self._process.returncode}))
        self._process = None

    def _record(self) -> CertificationRecord | None:
        try:
            return CertificationRecord.model_validate_json((self._folder / STATE).read_bytes())
        except (OSError, ValidationError):
            return None

    def _write(self, record: CertificationRecord) -> None:
        publish(self._folder / STATE, record.model_dump_json() + "\n")

    def _is_outdated(self, record: CertificationRecord) -> bool:
        try:
            return record.digest != self._digest()
        except OSError:
            # `assay curate` puts a file of a person aside before it makes a new one.
            return True

    def _last_lines(self) -> list[str]:
        try:
            with (self._folder / LOG).open("rb") as file:
                file.seek(0, os.SEEK_END)
                file.seek(max(0, file.tell() - SHOWN_BYTES))
                text = file.read().decode(errors="replace")
        except OSError:
            return []
        return [line[:300] for line in text.splitlines()[-8:]]


def _end_with_parent() -> None:
    """Ask the kernel to interrupt this process when the server ends, however it ends."""
    ctypes.CDLL(None).prctl(_PARENT_DEATH_SIGNAL, signal.SIGINT, 0, 0, 0)
