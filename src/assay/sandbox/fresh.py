"""A fresh sandbox for one command, and two of them in conversation."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Sequence

from assay.errors import SandboxError, UsageError
from assay.sandbox.confinement import MEBIBYTE, WORKSPACE, Confinement, Outcome
from assay.sandbox.engine import find_engine
from assay.sandbox.harvest import Harvest, check_patterns
from assay.sandbox.launch import launch
from assay.sandbox.layout import PRISTINE, disk_bytes
from assay.sandbox.pump import Pump, Sink, Stream
from assay.sandbox.supervision import Stop, cpu_watch, exceeded_limit, in_thread

_GATE = 'echo && read -r _ && exec "$@"'
"""Says that the sandbox stands, waits for leave, and becomes the command."""
_NOT_RUNNABLE, _NOT_FOUND, _KILLED = 126, 127, 137
_COPYING_GATE = f"cp -a {PRISTINE}/. {WORKSPACE}/ && {_GATE}"


async def run_confined(
    confinement: Confinement, command: Sequence[str], *, input: bytes = b"", collect: Sequence[str] = ()
) -> Outcome:
    """Run one command in a sandbox of its own.

    `collect` names files below the workspace, by path or pattern; they are read after every process
    of the sandbox is dead.
    """
    _check(command, collect)
    return await in_thread(lambda stop: _run(confinement, command, input, collect, stop))


async def converse(
    trusted: Confinement,
    trusted_command: Sequence[str],
    untrusted: Confinement,
    untrusted_command: Sequence[str],
    *,
    collect: Sequence[str],
) -> tuple[Outcome, Outcome]:
    """Join two sandboxes, each one's output to the other's input, until the trusted one ends.

    Then the untrusted one is killed and files are collected from the trusted one. What each says is
    kept up to its limit of output, and handed on whole.
    """
    _check(trusted_command, collect)
    _check(untrusted_command, ())
    return await in_thread(
        lambda stop: _converse((trusted, trusted_command), (untrusted, untrusted_command), collect, stop)
    )


def _check(command: Sequence[str], collect: Sequence[str]) -> None:
    if not command:
        raise UsageError("the command is empty: expected a program and its arguments")
    check_patterns(collect)


class _Side:
    """One fresh sandbox with its command and its streams."""

    def __init__(self, confinement: Confinement, command: Sequence[str], *, collects: bool) -> None:
        copies = confinement.workspace is not None and not find_engine().overlay
        self._gated = copies or (collects and confinement.workspace is not None)
        self.limits = confinement.limits
        gate = ["/bin/sh", "-c", _COPYING_GATE if copies else _GATE, "sh"] if self._gated else []
        self.launched = launch(confinement, [*gate, *command])
        self._program = command[0]
        self.said = Stream(self.launched.stdout, self.limits.output_bytes)
        self.errors = Stream(self.launched.stderr, self.limits.output_bytes)
        self.began = time.monotonic()

    def begin(self) -> None:
        """Wait for the gate, where there is one, and take hold of the workspace behind it."""
        if self._gated:
            if os.read(self.launched.stdout, 1) != b"\n":
                raise self._failure()
            self.launched.hold_workspace()
        self.began = time.monotonic()

    def sink(self, data: bytes = b"", *, last: bool = True) -> Sink:
        """The way to the command's input."""
        descriptor, self.launched.stdin = self.launched.stdin, -1
        return Sink(descriptor, b"\n" + data if self._gated else data, last=last)

    def outcome(self, exceeded: str | None, collect: Sequence[str], *, killed: bool = False) -> Outcome:
        """Kill what is left, then read what it said and wrote."""
        seconds = time.monotonic() - self.began
        self.launched.kill()
        for stream in (self.said, self.errors):
            stream.drain()
        returncode = self._returncode(killed=killed or exceeded is not None)
        harvest = self._harvest(collect)
        return Outcome(
            returncode=returncode,
            stdout=bytes(self.said.kept),
            stderr=bytes(self.errors.kept),
            seconds=seconds,
            timed_out=exceeded == "wall",
            truncated=self.said.overflowed or self.errors.overflowed,
            exceeded=exceeded or exceeded_limit(self.launched, returncode),
            files=harvest.files,
            refused=harvest.refused,
        )

    def _returncode(self, *, killed: bool) -> int:
        """Without an exit code nothing of the command ever ran, so all that was said is bubblewrap's."""
        code = self.launched.exit_code()
        if code is not None:
            return code
        if killed or self.launched.group.memory_kills() > 0:
            return _KILLED
        if b"execvp" in self.errors.kept:
            reason = b"not found" if b"No such file" in self.errors.kept else b"cannot be run"
            self.errors.kept[:] = os.fsencode(self._program) + b": " + reason + b"\n"
            return _NOT_FOUND if reason == b"not found" else _NOT_RUNNABLE
        raise self._failure()

    def _failure(self) -> SandboxError:
        words = bytes(self.errors.kept).decode(errors="replace").strip() or self.launched.complaint()
        return SandboxError(
            f"the sandbox did not stand: {words}", hint="run `assay doctor` to see what is missing"
        )

    def _harvest(self, collect: Sequence[str]) -> Harvest:
        size = self.limits.file_size_mb * MEBIBYTE
        harvest = Harvest(file_bytes=size, total_bytes=disk_bytes(self.limits))
        if collect:
            folder = self.launched.workspace()
            try:
                harvest.collect(folder, collect)
            finally:
                os.close(folder)
        return harvest


def _run(
    confinement: Confinement, command: Sequence[str], input: bytes, collect: Sequence[str], stop: Stop
) -> Outcome:
    side = _Side(confinement, command, collects=bool(collect))
    try:
        side.begin()
        pump = Pump(wall_seconds=side.limits.wall_seconds)
        pump.keep(side.said)
        pump.keep(side.errors)
        pump.feed(side.sink(input))
        pump.watch(cpu_watch(side.launched.group, side.limits))
        pump.watch(stop.watch)
        return side.outcome(pump.run(side.launched.ended), collect)
    finally:
        side.launched.release()


def _converse(
    trusted: tuple[Confinement, Sequence[str]],
    untrusted: tuple[Confinement, Sequence[str]],
    collect: Sequence[str],
    stop: Stop,
) -> tuple[Outcome, Outcome]:
    with contextlib.ExitStack() as stack:
        first = _Side(*trusted, collects=bool(collect))
        stack.callback(first.launched.release)
        second = _Side(*untrusted, collects=False)
        stack.callback(second.launched.release)
        pump = Pump(wall_seconds=first.limits.wall_seconds)
        for side, other in ((first, second), (second, first)):
            side.begin()
            heard = other.sink(last=False)
            pump.feed(heard)
            pump.splice(side.said, heard)
            pump.splice(side.errors, None)
            pump.watch(cpu_watch(side.launched.group, side.limits))
        pump.watch(stop.watch)
        exceeded = pump.run(first.launched.ended)
        outcome = first.outcome(exceeded, collect)
        return outcome, second.outcome(None, (), killed=True)
