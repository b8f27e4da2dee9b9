"""Starts bubblewrap for one sandbox and keeps hold of everything in it."""

from __future__ import annotations

import contextlib
import json
import os
import resource
import select
import signal
import subprocess
from collections.abc import Sequence

from assay.errors import SandboxError
from assay.sandbox.cgroups import Group, mechanisms
from assay.sandbox.confinement import MEBIBYTE, WORKSPACE, Confinement, Limits
from assay.sandbox.descriptors import Descriptors
from assay.sandbox.engine import Engine, find_engine
from assay.sandbox.layout import inner_arguments, outer_arguments
from assay.sandbox.seccomp import filter_program

_OPEN_FILES = 65_536


class Launched:
    """A started sandbox, held by its first process: killing that kills everything inside."""

    def __init__(self, process: subprocess.Popen[bytes], pipes: tuple[int, int, int], group: Group) -> None:
        self.process = process
        self.stdin, self.stdout, self.stderr = pipes
        self.group = group
        self.pid: int | None = None
        self._workspace: int | None = None
        self._first: int | None = None

    def hold(self, pid: int) -> None:
        """Take hold of the sandbox's first process."""
        self.pid = pid
        self._first = os.pidfd_open(pid)

    @property
    def ended(self) -> int:
        """A descriptor that can be read once every process inside is dead."""
        if self._first is None:
            raise SandboxError("this sandbox has not been started, or was released")
        return self._first

    def open_workspace(self) -> None:
        """Hold the workspace by a descriptor that outlives the sandbox."""
        path = f"/proc/{self.pid}/root{WORKSPACE}"
        self._workspace = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)

    @property
    def workspace(self) -> int:
        """The held workspace."""
        if self._workspace is None:
            raise SandboxError("the workspace of this sandbox is not open")
        return self._workspace

    def disk_is_full(self) -> bool:
        """Whether nothing more can be written inside."""
        return os.statvfs(self.workspace).f_bavail == 0

    def kill(self) -> None:
        """Kill every process inside and wait until all are gone."""
        if self._first is None:
            self.process.kill()
        else:
            with contextlib.suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._first, signal.SIGKILL)
            # The first process of a pid namespace ends only after every other one in it.
            select.select([self._first], [], [])
        self.process.wait()

    def returncode(self) -> int:
        """The command's return code, as a shell would say it."""
        code = self.process.wait()
        return 128 - code if code < 0 else code

    def release(self) -> None:
        """Kill what is left and let go of descriptors and control groups."""
        self.kill()
        for descriptor in (self._first, self._workspace, self.stdin, self.stdout, self.stderr):
            if descriptor is not None and descriptor >= 0:
                os.close(descriptor)
        self._first = self._workspace = None
        self.stdin = self.stdout = self.stderr = -1
        self.group.remove()


def launch(
    confinement: Confinement,
    command: Sequence[str],
    *,
    passed: Sequence[int] = (),
    resident: bool = False,
    files: Sequence[tuple[bytes, str]] = (),
) -> Launched:
    """Start a command in a new sandbox.

    `resident` makes it the first process of its namespace, which nothing inside can kill; `files`
    are shown read-only at their paths. The calling thread must live as long as the sandbox: the
    kernel ends a sandbox with the thread that started it.
    """
    engine = find_engine()
    with Descriptors() as descriptors:
        told, tell = descriptors.pipe()
        wait, leave = descriptors.pipe()
        arguments = ["--info-fd", str(tell), "--block-fd", str(wait)]
        for content, target in files:
            arguments += ["--ro-bind-data", str(descriptors.data(content)), target]
        arguments += inner_arguments(confinement, overlay=engine.overlay, resident=resident)
        if (program := filter_program()) is not None:
            arguments += ["--seccomp", str(descriptors.data(program))]
        if resident:
            arguments.append("--as-pid-1")
        # By descriptor, because what stands on the first process's command line can be read inside.
        packed = descriptors.data(b"".join(os.fsencode(argument) + b"\0" for argument in arguments))
        line = [*_outer(engine, confinement), str(engine.program), "--args", str(packed), "--", *command]
        launched = _spawn(descriptors, line, [tell, wait, *descriptors.given, *passed], confinement.limits)
        try:
            descriptors.close(tell)
            pid = _first_pid(told, launched)
            launched.hold(pid)
            launched.group.attach(pid)
            _set_limits(pid, confinement.limits, whole=not resident)
            os.write(leave, b"\n")
        except BaseException:
            launched.release()
            raise
        return launched


def _outer(engine: Engine, confinement: Confinement) -> list[str]:
    return [str(engine.program), *outer_arguments(confinement), "--"] if engine.overlay else []


def _spawn(descriptors: Descriptors, line: Sequence[str], passed: Sequence[int], limits: Limits) -> Launched:
    stdin, feed = descriptors.pipe()
    stdout_read, stdout = descriptors.pipe()
    stderr_read, stderr = descriptors.pipe()
    group = Group(limits)
    try:
        process = subprocess.Popen(
            line, stdin=stdin, stdout=stdout, stderr=stderr, env={}, cwd="/", pass_fds=passed, process_group=0
        )
    except BaseException:
        group.remove()
        raise
    pipes = (descriptors.keep(feed), descriptors.keep(stdout_read), descriptors.keep(stderr_read))
    return Launched(process, pipes, group)


def _first_pid(told: int, launched: Launched) -> int:
    """What bubblewrap says of its child; silence means that it could not begin."""
    said = b""
    while chunk := os.read(told, 4096):
        said += chunk
        with contextlib.suppress(json.JSONDecodeError):
            return int(json.loads(said)["child-pid"])
    raise SandboxError(
        f"bubblewrap could not begin: {complaint(launched)}", hint="run `assay doctor` to see what is missing"
    )


def complaint(launched: Launched) -> str:
    """What a sandbox that did not stand said before it ended."""
    launched.process.wait()
    os.set_blocking(launched.stderr, False)
    with contextlib.suppress(BlockingIOError):
        return os.read(launched.stderr, 4096).decode(errors="replace").strip() or "it said nothing"
    return "it said nothing"


def _set_limits(pid: int, limits: Limits, *, whole: bool) -> None:
    """Set what the kernel holds for each process; what a control group holds better is left to it."""
    held = mechanisms()
    size = limits.file_size_mb * MEBIBYTE
    wanted = {resource.RLIMIT_FSIZE: (size, size), resource.RLIMIT_CORE: (0, 0)}
    if held["memory"] == "rlimit":
        wanted[resource.RLIMIT_AS] = (limits.memory_mb * MEBIBYTE,) * 2
    if held["processes"] == "rlimit":
        wanted[resource.RLIMIT_NPROC] = (limits.processes,) * 2
    if limits.cpu_seconds is not None and whole:
        wanted[resource.RLIMIT_CPU] = (limits.cpu_seconds, limits.cpu_seconds + 1)
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = _OPEN_FILES if hard == resource.RLIM_INFINITY else min(hard, _OPEN_FILES)
    wanted[resource.RLIMIT_NOFILE] = (min(1024, most), most)
    for kind, value in wanted.items():
        resource.prlimit(pid, kind, value)
