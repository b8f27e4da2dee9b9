"""One command in a fresh Docker container.

The harness reads files only after every process is dead, except the resident process, which nothing
inside can kill or trace.
"""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from pathlib import Path

from assay.sandbox.bubblewrap.command import collect_files
from assay.sandbox.bubblewrap.layout import variables_of
from assay.sandbox.confinement import WORKSPACE, Confinement, Outcome
from assay.sandbox.host.descriptors import Descriptors
from assay.sandbox.pump import Sink, Stream
from assay.sandbox.session.resident_client import PendingRequest
from assay.sandbox.session.session_thread import SessionThread
from assay.sandbox.supervision import exceeded_limit

_ANSWER_SECONDS = 30.0
_NOT_RUNNABLE, _NOT_FOUND = 126, 127


class DockerCommand:
    """A `ConfinedCommand` in a Docker container."""

    def __init__(self, confinement: Confinement, command: Sequence[str]) -> None:
        self.limits = confinement.limits
        self._session = SessionThread(confinement)
        self._session.start()
        self._program = command[0]
        self._request = {
            "do": "exec",
            "command": list(command),
            "cwd": WORKSPACE,
            "variables": variables_of(confinement),
            "cpu_seconds": self.limits.cpu_seconds,
        }
        self._pending: PendingRequest | None = None
        try:
            self._open_streams()
        except BaseException:
            self._session.stop()
            raise

    def _open_streams(self) -> None:
        with Descriptors() as descriptors:
            stdin_read, self._stdin = descriptors.pipe()
            stdout_read, stdout_write = descriptors.pipe()
            stderr_read, stderr_write = descriptors.pipe()
            self._inside = [stdin_read, stdout_write, stderr_write]
            self.stdout = Stream(stdout_read, self.limits.output_bytes)
            self.stderr = Stream(stderr_read, self.limits.output_bytes)
            for descriptor in (self._stdin, stdout_read, stderr_read, *self._inside):
                descriptors.release(descriptor)

    @property
    def end_descriptor(self) -> int:
        """Descriptor that becomes readable when the command has ended."""
        return self._running.fileno()

    @property
    def _running(self) -> PendingRequest:
        assert self._pending is not None, "the command has not begun"
        return self._pending

    def begin(self) -> None:
        """Start the command in its container. The container itself runs since the constructor returned."""
        try:
            self._pending = self._session.resident.send(self._request, self._inside)
        finally:
            self._close_inside()
        self._start_time = time.monotonic()

    def _close_inside(self) -> None:
        while self._inside:
            os.close(self._inside.pop())

    def watch(self) -> str | None:
        """Return None: Docker reports no limit while a command runs."""
        return None

    def sink(self, data: bytes = b"", *, complete: bool = True) -> Sink:
        """Return the sink that feeds the command's input."""
        return Sink(self._stdin, data, complete=complete)

    def outcome(
        self,
        exceeded: str | None,
        collect: Sequence[str],
        *,
        killed: bool = False,
        target_folder: Path | None = None,
    ) -> Outcome:
        """Kill every process, then read the command's output and files."""
        seconds = time.monotonic() - self._start_time
        if killed or exceeded is not None:
            self._running.kill()
        report, _ = self._running.next_report(seconds=_ANSWER_SECONDS)
        with self._session.resident.send({"do": "kill_all"}) as pending:
            pending.next_report(seconds=_ANSWER_SECONDS)
        for stream in (self.stdout, self.stderr):
            stream.drain()
        returncode = self._returncode(report)
        harvest = collect_files(self._session.sandbox, self.limits, collect, target_folder)
        return Outcome(
            returncode=returncode,
            stdout=bytes(self.stdout.data),
            stderr=bytes(self.stderr.data),
            seconds=seconds,
            timed_out=exceeded == "wall",
            truncated=self.stdout.has_overflowed or self.stderr.has_overflowed,
            exceeded=exceeded or exceeded_limit(self._session.sandbox, returncode),
            files=harvest.files,
            refused=harvest.refused,
            saved=harvest.saved,
        )

    def _returncode(self, report: dict[str, int]) -> int:
        if "ended" in report:
            code = report["ended"]
            return 128 - code if code < 0 else code
        missing = report["error"] == 2
        self.stderr.data += f"{self._program}: {'not found' if missing else 'cannot be run'}\n".encode()
        return _NOT_FOUND if missing else _NOT_RUNNABLE

    def release(self) -> None:
        """Remove the container."""
        self._close_inside()
        if self._pending is not None:
            self._pending.__exit__()
        for stream in (self.stdout, self.stderr):
            stream.close()
        self._session.stop()
