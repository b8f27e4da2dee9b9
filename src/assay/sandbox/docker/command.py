"""One command in a fresh Docker container.

The harness reads files only after every process is dead, except the resident process, which nothing
inside can kill or trace.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

from assay.sandbox.bubblewrap.command import collect_files
from assay.sandbox.bubblewrap.layout import variables_of
from assay.sandbox.confinement import WORKSPACE, Confinement, Outcome
from assay.sandbox.host.descriptors import Descriptors
from assay.sandbox.pump import Sink, Stream
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
        try:
            self._start(confinement, command)
        except BaseException:
            self._session.stop()
            raise

    def _start(self, confinement: Confinement, command: Sequence[str]) -> None:
        with Descriptors() as descriptors:
            stdin_read, self._stdin = descriptors.pipe()
            stdout_read, stdout_write = descriptors.pipe()
            stderr_read, stderr_write = descriptors.pipe()
            request = {
                "do": "exec",
                "command": list(command),
                "cwd": WORKSPACE,
                "variables": variables_of(confinement),
                "cpu_seconds": self.limits.cpu_seconds,
            }
            self._pending = self._session.resident.send(request, [stdin_read, stdout_write, stderr_write])
            self.stdout = Stream(descriptors.release(stdout_read), self.limits.output_bytes)
            self.stderr = Stream(descriptors.release(stderr_read), self.limits.output_bytes)
            descriptors.release(self._stdin)
        self._start_time = time.monotonic()

    @property
    def end_descriptor(self) -> int:
        """Descriptor that becomes readable when the command has ended."""
        return self._pending.fileno()

    def begin(self) -> None:
        """Do nothing: the command already runs."""

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
            self._pending.kill()
        report, _ = self._pending.next_report(seconds=_ANSWER_SECONDS)
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
        self._pending.__exit__()
        for stream in (self.stdout, self.stderr):
            stream.close()
        self._session.stop()
