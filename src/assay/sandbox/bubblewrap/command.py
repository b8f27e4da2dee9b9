"""One command in a fresh bubblewrap sandbox: all of a run, or one side of a conversation."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from assay.errors import SandboxError
from assay.sandbox.bubblewrap.launch import launch
from assay.sandbox.bubblewrap.layout import PRISTINE, disk_bytes
from assay.sandbox.confinement import MEBIBYTE, WORKSPACE, Confinement, Outcome, SandboxLimits
from assay.sandbox.engine import find_engine
from assay.sandbox.harvest import Harvest
from assay.sandbox.monitor.canary_watch import FollowedFiles
from assay.sandbox.monitor.launch_watch import LaunchWatch
from assay.sandbox.pump import Sink, Stream
from assay.sandbox.supervision import cpu_check, exceeded_limit

_GATE = 'echo && read -r _ && exec "$@"'
"""Reports that the sandbox is ready, waits for permission, and becomes the command."""
_COPYING_GATE = f"cp -a {PRISTINE}/. {WORKSPACE}/ && {_GATE}"
_NOT_RUNNABLE, _NOT_FOUND, _KILLED = 126, 127, 137


class WorkspaceHolder(Protocol):
    """A dead sandbox whose workspace can still be read."""

    def workspace(self) -> int: ...


def collect_files(
    sandbox: WorkspaceHolder, limits: SandboxLimits, collect: Sequence[str], target_folder: Path | None = None
) -> Harvest:
    """Collect the requested files from a workspace in which no process runs any more."""
    harvest = Harvest(
        file_bytes=limits.file_size_mb * MEBIBYTE, total_bytes=disk_bytes(limits), target_folder=target_folder
    )
    if collect:
        folder = sandbox.workspace()
        try:
            harvest.collect(folder, collect)
        finally:
            os.close(folder)
    return harvest


class BubblewrapCommand:
    """A `ConfinedCommand` in bubblewrap."""

    def __init__(self, confinement: Confinement, command: Sequence[str], *, collects: bool) -> None:
        overlay, has_workspace = find_engine().overlay, confinement.workspace is not None
        copies = has_workspace and not overlay
        self._has_gate = not overlay or ((collects or confinement.followed) and has_workspace)
        self.limits = confinement.limits
        gate = ["/bin/sh", "-c", _COPYING_GATE if copies else _GATE, "sh"] if self._has_gate else []
        self._programs = LaunchWatch() if confinement.watch else None
        starter, inherited = (
            (self._programs.prefix, self._programs.descriptors) if self._programs else ([], [])
        )
        self._sandbox = launch(confinement, [*gate, *command], starter=starter, inherited=inherited)
        self._command = tuple(command)
        self._followed = FollowedFiles(confinement.followed)
        self.stdout = Stream(self._sandbox.stdout, self.limits.output_bytes)
        self.stderr = Stream(self._sandbox.stderr, self.limits.output_bytes)
        self._start_time = time.monotonic()
        self._cpu_check = cpu_check(self._sandbox.group, self.limits)

    @property
    def end_descriptor(self) -> int:
        """Descriptor that becomes readable when the command and every process it started are dead."""
        return self._sandbox.end_descriptor

    def watch(self) -> str | None:
        """Return the exceeded limit, if the harness can see one."""
        meter = self._sandbox.meter
        return self._cpu_check() or (meter.watch() if meter else None)

    def release(self) -> None:
        """Close the descriptors and control groups of the dead sandbox."""
        self._followed.close()
        if self._programs is not None:
            self._programs.close()
        self._sandbox.release()

    def begin(self) -> None:
        """Wait for the gate, if there is one, and open the workspace behind it."""
        if self._has_gate:
            if os.read(self._sandbox.stdout, 1) != b"\n":
                raise self._start_error()
            self._sandbox.set_workspace()
            self._follow()
        self._start_time = time.monotonic()

    def _follow(self) -> None:
        folder = self._sandbox.workspace()
        try:
            self._followed.begin(folder)
        finally:
            os.close(folder)

    def sink(self, data: bytes = b"", *, complete: bool = True) -> Sink:
        """Return the sink that feeds the command's input."""
        descriptor, self._sandbox.stdin = self._sandbox.stdin, -1
        return Sink(descriptor, b"\n" + data if self._has_gate else data, complete=complete)

    def outcome(
        self,
        exceeded: str | None,
        collect: Sequence[str],
        *,
        killed: bool = False,
        target_folder: Path | None = None,
    ) -> Outcome:
        """Kill every remaining process, then read the command's output and files."""
        seconds = time.monotonic() - self._start_time
        self._sandbox.kill()
        for stream in (self.stdout, self.stderr):
            stream.drain()
        cpu_seconds = self._sandbox.group.cpu_seconds()
        returncode = self._returncode(killed=killed or exceeded is not None)
        opened = self._followed.opened()  # before the harness itself opens what it collects
        harvest = collect_files(self._sandbox, self.limits, collect, target_folder)
        return Outcome(
            returncode=returncode,
            stdout=bytes(self.stdout.data),
            stderr=bytes(self.stderr.data),
            seconds=seconds,
            timed_out=exceeded == "wall",
            truncated=self.stdout.has_overflowed or self.stderr.has_overflowed,
            exceeded=exceeded or exceeded_limit(self._sandbox, returncode),
            files=harvest.files,
            cpu_seconds=cpu_seconds,
            refused=harvest.refused,
            opened=opened,
            observed=None if self._programs is None else self._programs.read(self._command),
            saved=harvest.saved,
            gpu_peak_mb=self._sandbox.meter.peak_mb if self._sandbox.meter else None,
        )

    def _returncode(self, *, killed: bool) -> int:
        """Return the exit code; without one the command never ran, so all output comes from bubblewrap."""
        code = self._sandbox.exit_code()
        if code is not None:
            return code
        if killed or self._sandbox.group.memory_kills() > 0:
            return _KILLED
        if b"execvp" in self.stderr.data:
            reason = b"not found" if b"No such file" in self.stderr.data else b"cannot be run"
            self.stderr.data[:] = os.fsencode(self._command[0]) + b": " + reason + b"\n"
            return _NOT_FOUND if reason == b"not found" else _NOT_RUNNABLE
        raise self._start_error()

    def _start_error(self) -> SandboxError:
        message = bytes(self.stderr.data).decode(errors="replace").strip() or self._sandbox.error_output()
        return SandboxError(
            f"the sandbox did not start: {message}", hint="run `assay doctor` to see what is missing"
        )
