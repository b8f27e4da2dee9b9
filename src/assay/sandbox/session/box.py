"""A running sandbox that executes one attempt's commands."""

from __future__ import annotations

import contextlib
import errno
import os
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import PurePosixPath
from typing import IO, Any, Self

from assay.errors import SandboxError
from assay.sandbox.bubblewrap.layout import variables_of
from assay.sandbox.confinement import WORKSPACE, Confinement, Outcome
from assay.sandbox.gpu.memory_watch import EXCEEDED
from assay.sandbox.host.descriptors import Descriptors
from assay.sandbox.monitor.observations import Observations
from assay.sandbox.pump import Pump, Sink, Stream
from assay.sandbox.session.request_checks import check_command, check_path
from assay.sandbox.session.resident_client import PendingRequest, error_of
from assay.sandbox.session.session_thread import SessionThread
from assay.sandbox.supervision import Stop, cpu_check, exceeded_limit, in_thread

_ANSWER_SECONDS = 30.0
_NOT_STARTED, _NOT_FOUND = 126, 127


class Box:
    """A sandbox whose workspace and background jobs live from one command to the next.

    Use it as an async context manager, or call `open` and `close`. `close` kills every process inside.
    """

    def __init__(self, confinement: Confinement) -> None:
        self.confinement = confinement
        self._session = SessionThread(confinement)

    async def open(self) -> Self:
        """Start the sandbox."""
        await in_thread(lambda _: self._session.start())
        return self

    async def close(self) -> None:
        """Kill everything inside and remove the sandbox's files."""
        await in_thread(lambda _: self._session.stop())

    async def __aenter__(self) -> Self:
        return await self.open()

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    @property
    def terminal(self) -> str:
        """Socket path on the host at which `python -m assay.sandbox.session.shell` opens a shell inside."""
        return str(self._session.terminal)

    async def ended(self) -> bool:
        """Return whether the sandbox has ended although nobody closed it."""
        return await in_thread(lambda _: self._session.has_ended())

    async def end(self) -> None:
        """Kill everything inside; until `close`, `open_left_workspace` gives access to the workspace."""
        await in_thread(lambda _: self._session.end())

    @property
    def has_left_workspace(self) -> bool:
        """True if the sandbox ended before `close`, so that its workspace is readable."""
        return self._session.has_left_workspace

    def open_left_workspace(self) -> int | None:
        """Return a new descriptor of the ended sandbox's workspace, or None."""
        return self._session.open_left_workspace()

    @property
    def gpu_peak_mb(self) -> float | None:
        """Highest measured GPU memory; None without a GPU, or if it cannot be read."""
        meter = self._session.meter
        return meter.peak_mb if meter else None

    @property
    def gpu_exceeded(self) -> bool:
        """True if the harness killed the sandbox's processes for exceeding the limit on GPU memory."""
        meter = self._session.meter
        return meter.exceeded if meter else False

    async def exec(
        self,
        command: Sequence[str],
        *,
        input: bytes | IO[bytes] | None = None,
        cwd: str | None = None,
        variables: Mapping[str, str] | None = None,
        timeout: float | None = None,
        output_bytes: int | None = None,
    ) -> Outcome:
        """Run a command; its background processes continue to run.

        A missing program gives the return code 127, as in a shell, and one that cannot start 126; a program
        without permission raises PermissionError, and a command that no system could start raises
        BadRequest. The harness kills a command that exceeds a limit, with its children.
        """
        request: dict[str, Any] = {
            "do": "exec",
            "command": list(command),
            "cwd": str(PurePosixPath(WORKSPACE, cwd or "")),
            "variables": {**variables_of(self.confinement), **(variables or {})},
            "cpu_seconds": self.confinement.limits.cpu_seconds,
        }
        check_command(request["command"], request["cwd"], request["variables"])
        wall_seconds = self.confinement.limits.wall_seconds if timeout is None else timeout
        max_output = output_bytes or self.confinement.limits.output_bytes
        return await in_thread(lambda stop: self._exec(request, input, wall_seconds, max_output, stop))

    async def read_file(self, path: str, *, max_bytes: int | None = None) -> bytes:
        """Read a file inside the sandbox, at most `max_bytes`; errors are those of `open`."""
        check_path(path)
        return await in_thread(lambda _: self._read(path, max_bytes))

    async def write_file(self, path: str, content: bytes) -> None:
        """Write a file inside the sandbox, and create its parent folders."""
        check_path(path)
        await in_thread(lambda _: self._write(path, content))

    async def observations(self) -> Observations:
        """Return the observations from outside until now, or until the sandbox's end."""
        return await in_thread(lambda _: self._session.monitor.read())

    async def kill_processes(self) -> None:
        """Kill every process of the attempt and keep the workspace."""
        await in_thread(lambda _: self._kill_processes())

    def _exec(
        self,
        request: dict[str, Any],
        input: bytes | IO[bytes] | None,
        wall_seconds: float,
        max_output: int,
        stop: Stop,
    ) -> Outcome:
        with Descriptors() as descriptors:
            data = input if isinstance(input, bytes) else b""
            stdin_read, stdin_write = descriptors.pipe()
            if input is not None and not isinstance(input, bytes):
                os.dup2(input.fileno(), stdin_read, inheritable=False)
            stdout_read, stdout_write = descriptors.pipe()
            stderr_read, stderr_write = descriptors.pipe()
            counts = self._counts()
            gpu_check = self._gpu_check()
            start_time = time.monotonic()
            with self._session.resident.send(request, [stdin_read, stdout_write, stderr_write]) as pending:
                for descriptor in (stdin_read, stdout_write, stderr_write):
                    descriptors.close(descriptor)
                streams = (
                    Stream(descriptors.release(stdout_read), max_output),
                    Stream(descriptors.release(stderr_read), max_output),
                )
                pump = Pump(wall_seconds=wall_seconds)
                for stream in streams:
                    pump.capture(stream)
                sink = Sink(descriptors.release(stdin_write), data)
                pump.feed(sink)
                pump.add_limit_check(cpu_check(self._session.group, self.confinement.limits))
                pump.add_limit_check(stop.watch)
                pump.add_limit_check(gpu_check)
                try:
                    exceeded = pump.run(pending.fileno())
                    report = self._finish(pending, streams, killed=exceeded is not None)
                    returncode = _returncode(report, streams[1])
                finally:
                    sink.close()
                    self._session.keep_reading(streams)
        return Outcome(
            returncode=returncode,
            stdout=bytes(streams[0].data),
            stderr=bytes(streams[1].data),
            seconds=time.monotonic() - start_time,
            timed_out=exceeded == "wall",
            truncated=any(stream.has_overflowed for stream in streams),
            exceeded=exceeded or gpu_check() or self._exceeded(returncode, counts),
            gpu_peak_mb=self.gpu_peak_mb,
        )

    def _finish(self, pending: PendingRequest, streams: Sequence[Stream], *, killed: bool) -> dict[str, Any]:
        """Return the resident's report, after reading all available output."""
        if killed:
            pending.kill()
        report, _ = pending.next_report(seconds=_ANSWER_SECONDS)
        self._session.monitor.check()
        for stream in streams:
            stream.drain()
        return report

    def _gpu_check(self) -> Callable[[], str | None]:
        """Return a check that reports when the sandbox exceeds its GPU memory from now on."""
        already_exceeded = self.gpu_exceeded
        return lambda: EXCEEDED if self.gpu_exceeded and not already_exceeded else None

    def _counts(self) -> tuple[int, int]:
        return self._session.group.memory_kills(), self._session.group.process_refusals()

    def _exceeded(self, returncode: int, counts: tuple[int, int]) -> str | None:
        sandbox = self._session.sandbox
        return exceeded_limit(sandbox, returncode, memory_kills=counts[0], process_refusals=counts[1])

    def _open(self, path: str, *, write: bool) -> int:
        request = {"do": "open", "path": path, "write": write}
        with self._session.resident.send(request) as pending:
            report, descriptor = pending.next_report(seconds=_ANSWER_SECONDS)
        if "error" in report:
            raise error_of({**report, "path": path})
        if descriptor is None:
            raise SandboxError(f"the sandbox opened {path} but sent no descriptor")
        return descriptor

    def _read(self, path: str, max_bytes: int | None) -> bytes:
        with os.fdopen(self._open(path, write=False), "rb") as file:
            return file.read() if max_bytes is None else file.read(max_bytes)

    def _write(self, path: str, content: bytes) -> None:
        with os.fdopen(self._open(path, write=True), "wb") as file:
            file.write(content)

    def _kill_processes(self) -> None:
        with self._session.resident.send({"do": "kill_all"}) as pending, contextlib.suppress(KeyError):
            pending.next_report(seconds=_ANSWER_SECONDS)


def _returncode(report: Mapping[str, Any], stderr: Stream) -> int:
    """Return a shell's return code; add the reason to stderr if the command could not start."""
    if "error" not in report:
        code = int(report["ended"])
        return 128 - code if code < 0 else code
    if report["error"] in (errno.EACCES, errno.EPERM):
        raise error_of(dict(report))
    missing = report["error"] in (errno.ENOENT, errno.ENOTDIR)
    reason = "not found" if missing else os.strerror(report["error"])
    stderr.data += f"{report.get('path')}: {reason}\n".encode(errors="backslashreplace")
    return _NOT_FOUND if missing else _NOT_STARTED
