"""A running sandbox that serves one attempt's commands."""

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
from assay.sandbox.monitor.observations import Watched
from assay.sandbox.pump import Pump, Sink, Stream
from assay.sandbox.session.request_checks import check_command, check_path
from assay.sandbox.session.resident_client import Errand, error_of
from assay.sandbox.session.session_thread import Keeper
from assay.sandbox.supervision import Stop, cpu_watch, exceeded_limit, in_thread

_ANSWER_SECONDS = 30.0
_NOT_STARTED, _NOT_FOUND = 126, 127


class Box:
    """A sandbox whose workspace and background jobs live from one command to the next.

    Use it as an async context manager, or call `open` and `close`. Everything in it dies with it.
    """

    def __init__(self, confinement: Confinement) -> None:
        self.confinement = confinement
        self._keeper = Keeper(confinement)

    async def open(self) -> Self:
        """Start the sandbox."""
        await in_thread(lambda _: self._keeper.start())
        return self

    async def close(self) -> None:
        """Kill everything inside and remove what the sandbox left."""
        await in_thread(lambda _: self._keeper.stop())

    async def __aenter__(self) -> Self:
        return await self.open()

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    @property
    def terminal(self) -> str:
        """The host's socket path on which `python -m assay.sandbox.session.shell` opens a shell inside."""
        return str(self._keeper.terminal)

    async def ended(self) -> bool:
        """Whether it is gone although nobody closed it."""
        return await in_thread(lambda _: self._keeper.ended())

    async def end(self) -> None:
        """Kill everything inside; until it is closed, its workspace can be read by `remains`."""
        await in_thread(lambda _: self._keeper.end())

    @property
    def has_remains(self) -> bool:
        """Whether it ended before it was closed."""
        return self._keeper.has_remains

    def remains(self) -> int | None:
        """A new descriptor of the workspace that it left, once it has ended; None where there is none."""
        return self._keeper.remains()

    @property
    def gpu_peak_mb(self) -> float | None:
        """The most GPU memory that it was seen to use; None without a GPU, or where it cannot be read."""
        meter = self._keeper.meter
        return meter.peak_mb if meter else None

    @property
    def gpu_exceeded(self) -> bool:
        """Whether everything in it was once ended because it used more GPU memory than it may."""
        meter = self._keeper.meter
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
        """Run a command; what it leaves in the background goes on.

        A program that is not there gives the return code 127, as in a shell, and one that cannot be
        started 126; one that may not be run raises PermissionError, and a command that no system could
        start BadRequest. A command that exceeds a limit is killed with its children.
        """
        request: dict[str, Any] = {
            "do": "exec",
            "command": list(command),
            "cwd": str(PurePosixPath(WORKSPACE, cwd or "")),
            "variables": {**variables_of(self.confinement), **(variables or {})},
            "cpu_seconds": self.confinement.limits.cpu_seconds,
        }
        check_command(request["command"], request["cwd"], request["variables"])
        wall = self.confinement.limits.wall_seconds if timeout is None else timeout
        cap = output_bytes or self.confinement.limits.output_bytes
        return await in_thread(lambda stop: self._exec(request, input, wall, cap, stop))

    async def read_file(self, path: str, *, most: int | None = None) -> bytes:
        """Read a file inside the namespace, at most so many bytes; errors are those of `open`."""
        check_path(path)
        return await in_thread(lambda _: self._read(path, most))

    async def write_file(self, path: str, content: bytes) -> None:
        """Write a file inside the namespace, with the folders above it."""
        check_path(path)
        await in_thread(lambda _: self._write(path, content))

    async def watched(self) -> Watched:
        """What was seen of it from outside until now, or until its end."""
        return await in_thread(lambda _: self._keeper.lookout.read())

    async def quiet(self) -> None:
        """Kill every process of the attempt and keep the workspace."""
        await in_thread(lambda _: self._quiet())

    def _exec(
        self, request: dict[str, Any], input: bytes | IO[bytes] | None, wall: float, cap: int, stop: Stop
    ) -> Outcome:
        with Descriptors() as descriptors:
            data = input if isinstance(input, bytes) else b""
            stdin, feed = descriptors.pipe()
            if input is not None and not isinstance(input, bytes):
                os.dup2(input.fileno(), stdin, inheritable=False)
            out, stdout = descriptors.pipe()
            err, stderr = descriptors.pipe()
            counts = self._counts()
            over = self._gpu_watch()
            began = time.monotonic()
            with self._keeper.resident.ask(request, [stdin, stdout, stderr]) as errand:
                for theirs in (stdin, stdout, stderr):
                    descriptors.close(theirs)
                streams = (Stream(descriptors.keep(out), cap), Stream(descriptors.keep(err), cap))
                pump = Pump(wall_seconds=wall)
                for stream in streams:
                    pump.keep(stream)
                sink = Sink(descriptors.keep(feed), data)
                pump.feed(sink)
                pump.watch(cpu_watch(self._keeper.group, self.confinement.limits))
                pump.watch(stop.watch)
                pump.watch(over)
                try:
                    exceeded = pump.run(errand.fileno())
                    report = self._end(errand, streams, killed=exceeded is not None)
                    returncode = _returncode(report, streams[1])
                finally:
                    sink.close()
                    self._keeper.adopt(streams)
        return Outcome(
            returncode=returncode,
            stdout=bytes(streams[0].kept),
            stderr=bytes(streams[1].kept),
            seconds=time.monotonic() - began,
            timed_out=exceeded == "wall",
            truncated=any(stream.overflowed for stream in streams),
            exceeded=exceeded or over() or self._exceeded(returncode, counts),
            gpu_peak_mb=self.gpu_peak_mb,
        )

    def _end(self, errand: Errand, streams: Sequence[Stream], *, killed: bool) -> dict[str, Any]:
        """What the sandbox reports, with the output that is there by now."""
        if killed:
            errand.kill()
        report, _ = errand.hear(seconds=_ANSWER_SECONDS)
        self._keeper.lookout.check()
        for stream in streams:
            stream.drain()
        return report

    def _gpu_watch(self) -> Callable[[], str | None]:
        """Says so once the limit on GPU memory is exceeded from now on."""
        before = self.gpu_exceeded
        return lambda: EXCEEDED if self.gpu_exceeded and not before else None

    def _counts(self) -> tuple[int, int]:
        return self._keeper.group.memory_kills(), self._keeper.group.process_refusals()

    def _exceeded(self, returncode: int, counts: tuple[int, int]) -> str | None:
        launched = self._keeper.launched
        return exceeded_limit(launched, returncode, memory_kills=counts[0], process_refusals=counts[1])

    def _open(self, path: str, *, write: bool) -> int:
        request = {"do": "open", "path": path, "write": write}
        with self._keeper.resident.ask(request) as errand:
            report, descriptor = errand.hear(seconds=_ANSWER_SECONDS)
        if "error" in report:
            raise error_of({**report, "path": path})
        if descriptor is None:
            raise SandboxError(f"the sandbox opened {path} but handed nothing out")
        return descriptor

    def _read(self, path: str, most: int | None) -> bytes:
        with os.fdopen(self._open(path, write=False), "rb") as file:
            return file.read() if most is None else file.read(most)

    def _write(self, path: str, content: bytes) -> None:
        with os.fdopen(self._open(path, write=True), "wb") as file:
            file.write(content)

    def _quiet(self) -> None:
        with self._keeper.resident.ask({"do": "quiet"}) as errand, contextlib.suppress(KeyError):
            errand.hear(seconds=_ANSWER_SECONDS)


def _returncode(report: Mapping[str, Any], errors: Stream) -> int:
    """What a shell would return; why a command could not start is added to its error stream."""
    if "error" not in report:
        code = int(report["ended"])
        return 128 - code if code < 0 else code
    if report["error"] in (errno.EACCES, errno.EPERM):
        raise error_of(dict(report))
    missing = report["error"] in (errno.ENOENT, errno.ENOTDIR)
    reason = "not found" if missing else os.strerror(report["error"])
    errors.kept += f"{report.get('path')}: {reason}\n".encode(errors="backslashreplace")
    return _NOT_FOUND if missing else _NOT_STARTED
