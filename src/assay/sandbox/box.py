"""A running sandbox that serves one attempt's commands."""

from __future__ import annotations

import contextlib
import errno
import os
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any, Self

from assay.errors import SandboxError, UsageError
from assay.sandbox.confinement import WORKSPACE, Confinement, Outcome
from assay.sandbox.descriptors import Descriptors
from assay.sandbox.errands import Errand, error_of
from assay.sandbox.gpu_meter import EXCEEDED
from assay.sandbox.keeper import Keeper
from assay.sandbox.layout import variables_of
from assay.sandbox.pump import Pump, Sink, Stream
from assay.sandbox.supervision import Stop, cpu_watch, exceeded_limit, in_thread
from assay.sandbox.watched import Watched

_ANSWER_SECONDS = 30.0
_CHUNK = 1 << 20


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
        """The host's socket path on which `python -m assay.sandbox.enter` opens a shell inside."""
        return str(self._keeper.terminal)

    async def ended(self) -> bool:
        """Whether it is gone although nobody closed it."""
        return await in_thread(lambda _: self._keeper.ended())

    async def starved(self) -> bool:
        """Whether it is gone for want of memory, which only what ran in it can bring about."""
        return await in_thread(lambda _: self._keeper.starved())

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
        input: bytes | None = None,
        cwd: str | None = None,
        variables: Mapping[str, str] | None = None,
        timeout: float | None = None,
        output_bytes: int | None = None,
    ) -> Outcome:
        """Run a command; what it leaves in the background goes on.

        A program that is not there gives the return code 127, as in a shell; one that may not be
        run raises PermissionError. A command that exceeds a limit is killed with its children.
        """
        if not command:
            raise UsageError("the command is empty: expected a program and its arguments")
        request: dict[str, Any] = {
            "do": "exec",
            "command": list(command),
            "cwd": str(PurePosixPath(WORKSPACE, cwd or "")),
            "variables": {**variables_of(self.confinement), **(variables or {})},
            "cpu_seconds": self.confinement.limits.cpu_seconds,
        }
        wall = self.confinement.limits.wall_seconds if timeout is None else timeout
        cap = output_bytes or self.confinement.limits.output_bytes
        return await in_thread(lambda stop: self._exec(request, input, wall, cap, stop))

    async def read_file(self, path: str, *, most: int | None = None) -> bytes:
        """Read a file inside the namespace, at most so many bytes; errors are those of `open`."""
        return await in_thread(lambda _: self._read(path, most))

    async def write_file(self, path: str, content: bytes) -> None:
        """Write a file inside the namespace, with the folders above it."""
        await in_thread(lambda _: self._write(path, content))

    async def watched(self) -> Watched:
        """What was seen of it from outside until now, or until its end."""
        return await in_thread(lambda _: self._keeper.lookout.read())

    async def quiet(self) -> None:
        """Kill every process of the attempt and keep the workspace."""
        await in_thread(lambda _: self._quiet())

    def _exec(
        self, request: dict[str, Any], input: bytes | None, wall: float, cap: int, stop: Stop
    ) -> Outcome:
        with Descriptors() as descriptors:
            stdin, feed = descriptors.pipe()
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
                sink = Sink(descriptors.keep(feed), input or b"")
                pump.feed(sink)
                pump.watch(cpu_watch(self._keeper.group, self.confinement.limits))
                pump.watch(stop.watch)
                pump.watch(over)
                try:
                    exceeded = pump.run(errand.fileno())
                    returncode = self._end(errand, streams, killed=exceeded is not None)
                finally:
                    sink.close()
                    self._keeper.adopt(streams)
        if returncode is None:
            returncode, streams[1].kept[:] = 127, f"{request['command'][0]}: not found\n".encode()
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

    def _end(self, errand: Errand, streams: Sequence[Stream], *, killed: bool) -> int | None:
        """The return code, with the output that is there by now; None where there is no such program."""
        if killed:
            errand.kill()
        report, _ = errand.hear(seconds=_ANSWER_SECONDS)
        self._keeper.lookout.check()
        for stream in streams:
            stream.drain()
        if "error" not in report:
            code = int(report["ended"])
            return 128 - code if code < 0 else code
        if report["error"] in (errno.ENOENT, errno.ENOTDIR):
            return None
        raise error_of(report)

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
