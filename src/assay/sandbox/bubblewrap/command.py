"""One side of a conversation, or all of a run: a command in a fresh bubblewrap."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from assay.errors import SandboxError
from assay.sandbox.bubblewrap.launch import launch
from assay.sandbox.bubblewrap.layout import PRISTINE, disk_bytes
from assay.sandbox.confinement import MEBIBYTE, WORKSPACE, Confinement, Limits, Outcome
from assay.sandbox.engine import find_engine
from assay.sandbox.harvest import Harvest
from assay.sandbox.monitor.canary_watch import FollowedFiles
from assay.sandbox.pump import Sink, Stream
from assay.sandbox.supervision import cpu_watch, exceeded_limit

_GATE = 'echo && read -r _ && exec "$@"'
"""Says that the sandbox stands, waits for leave, and becomes the command."""
_COPYING_GATE = f"cp -a {PRISTINE}/. {WORKSPACE}/ && {_GATE}"
_NOT_RUNNABLE, _NOT_FOUND, _KILLED = 126, 127, 137


class HoldsWorkspace(Protocol):
    """A dead sandbox whose workspace can still be read."""

    def workspace(self) -> int: ...


def harvest_from(
    held: HoldsWorkspace, limits: Limits, collect: Sequence[str], into: Path | None = None
) -> Harvest:
    """What was asked for of a workspace in which nothing runs any more."""
    harvest = Harvest(file_bytes=limits.file_size_mb * MEBIBYTE, total_bytes=disk_bytes(limits), into=into)
    if collect:
        folder = held.workspace()
        try:
            harvest.collect(folder, collect)
        finally:
            os.close(folder)
    return harvest


class Side:
    """One fresh sandbox with its command and its streams."""

    def __init__(self, confinement: Confinement, command: Sequence[str], *, collects: bool) -> None:
        overlay, shows = find_engine().overlay, confinement.workspace is not None
        copies = shows and not overlay
        self._gated = not overlay or (collects and shows)
        self.limits = confinement.limits
        gate = ["/bin/sh", "-c", _COPYING_GATE if copies else _GATE, "sh"] if self._gated else []
        self._launched = launch(confinement, [*gate, *command])
        self._program = command[0]
        self._followed = FollowedFiles(confinement.followed)
        self.said = Stream(self._launched.stdout, self.limits.output_bytes)
        self.errors = Stream(self._launched.stderr, self.limits.output_bytes)
        self._began = time.monotonic()
        self._watch = cpu_watch(self._launched.group, self.limits)

    @property
    def done(self) -> int:
        """A descriptor that can be read once the command and everything it started is dead."""
        return self._launched.ended

    def watch(self) -> str | None:
        """The limit that was exceeded, if the harness can see it."""
        meter = self._launched.meter
        return self._watch() or (meter.watch() if meter else None)

    def release(self) -> None:
        """Let go of the dead sandbox."""
        self._followed.close()
        self._launched.release()

    def begin(self) -> None:
        """Wait for the gate, where there is one, and take hold of the workspace behind it."""
        if self._gated:
            if os.read(self._launched.stdout, 1) != b"\n":
                raise self._failure()
            self._launched.hold_workspace()
            self._follow()
        self._began = time.monotonic()

    def _follow(self) -> None:
        folder = self._launched.workspace()
        try:
            self._followed.begin(folder)
        finally:
            os.close(folder)

    def sink(self, data: bytes = b"", *, last: bool = True) -> Sink:
        """The way to the command's input."""
        descriptor, self._launched.stdin = self._launched.stdin, -1
        return Sink(descriptor, b"\n" + data if self._gated else data, last=last)

    def outcome(
        self,
        exceeded: str | None,
        collect: Sequence[str],
        *,
        killed: bool = False,
        into: Path | None = None,
    ) -> Outcome:
        """Kill what is left, then read what it said and wrote."""
        seconds = time.monotonic() - self._began
        self._launched.kill()
        for stream in (self.said, self.errors):
            stream.drain()
        used = self._launched.group.cpu_seconds()
        returncode = self._returncode(killed=killed or exceeded is not None)
        opened = self._followed.opened()  # before the harness itself opens what it collects
        harvest = harvest_from(self._launched, self.limits, collect, into)
        return Outcome(
            returncode=returncode,
            stdout=bytes(self.said.kept),
            stderr=bytes(self.errors.kept),
            seconds=seconds,
            timed_out=exceeded == "wall",
            truncated=self.said.overflowed or self.errors.overflowed,
            exceeded=exceeded or exceeded_limit(self._launched, returncode),
            files=harvest.files,
            cpu_seconds=used,
            refused=harvest.refused,
            opened=opened,
            saved=harvest.saved,
            gpu_peak_mb=self._launched.meter.peak_mb if self._launched.meter else None,
        )

    def _returncode(self, *, killed: bool) -> int:
        """Without an exit code nothing of the command ever ran, so all that was said is bubblewrap's."""
        code = self._launched.exit_code()
        if code is not None:
            return code
        if killed or self._launched.group.memory_kills() > 0:
            return _KILLED
        if b"execvp" in self.errors.kept:
            reason = b"not found" if b"No such file" in self.errors.kept else b"cannot be run"
            self.errors.kept[:] = os.fsencode(self._program) + b": " + reason + b"\n"
            return _NOT_FOUND if reason == b"not found" else _NOT_RUNNABLE
        raise self._failure()

    def _failure(self) -> SandboxError:
        words = bytes(self.errors.kept).decode(errors="replace").strip() or self._launched.complaint()
        return SandboxError(
            f"the sandbox did not stand: {words}", hint="run `assay doctor` to see what is missing"
        )
