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
from pathlib import Path

from assay.errors import SandboxError
from assay.sandbox.bubblewrap.layout import UPPER, inner_arguments, outer_arguments, space_folder
from assay.sandbox.bubblewrap.seccomp import filter_program
from assay.sandbox.confinement import MEBIBYTE, WORKSPACE, Confinement, Limits
from assay.sandbox.engine import Engine, find_engine
from assay.sandbox.gpu.devices import gpu_numbers
from assay.sandbox.gpu.memory_watch import GpuMeter
from assay.sandbox.host.cgroups import Group, mechanisms
from assay.sandbox.host.descriptors import Descriptors

_OPEN_FILES = 65_536
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
_leaving: list[subprocess.Popen[bytes]] = []
"""Bubblewraps whose sandbox is dead: the kernel takes milliseconds to tear their mounts down."""
_HINT = "run `assay doctor` to see what is missing"


class Launched:
    """A started sandbox, held by its first process: killing that kills everything inside."""

    def __init__(
        self, process: subprocess.Popen[bytes], pipes: tuple[int, int, int, int], group: Group
    ) -> None:
        self.process = process
        self.stdin, self.stdout, self.stderr, self._status = pipes
        self.group = group
        self._pid = -1
        self.meter: GpuMeter | None = None
        """Looks at the GPU memory, where the sandbox has GPUs."""
        self._first = self._space = self._workspace = -1

    def hold(self) -> int:
        """Take hold of the sandbox's first process, and tell its number; it waits for leave."""
        self._pid = self._first_pid()
        self._first = os.pidfd_open(self._pid)
        return self._pid

    def hold_space(self, folder: Path) -> None:
        """Hold all that can be written inside by a descriptor that outlives the sandbox.

        It is seen through the first process's parent, which stays where the outer bubblewrap put it.
        """
        fields = Path(f"/proc/{self._pid}/stat").read_text().rpartition(")")[2].split()
        self._space = os.open(f"/proc/{fields[1]}/root{folder}", _FOLDER)

    def hold_workspace(self, descriptor: int | None = None) -> None:
        """Hold the workspace, with what lies below it on the host, once the sandbox stands."""
        self._workspace = (
            os.open(f"/proc/{self._pid}/root{WORKSPACE}", _FOLDER) if descriptor is None else descriptor
        )

    def workspace(self) -> int:
        """A new descriptor of the workspace; without a folder of the host in it, the upper layer is all."""
        return (
            os.dup(self._workspace) if self._workspace >= 0 else os.open(UPPER, _FOLDER, dir_fd=self._space)
        )

    @property
    def ended(self) -> int:
        """A descriptor that can be read once every process inside is dead."""
        if self._first < 0:
            raise SandboxError("this sandbox has not been started, or was released")
        return self._first

    def disk_is_full(self) -> bool:
        """Whether nothing more can be written inside."""
        return os.statvfs(self._space if self._space >= 0 else self._workspace).f_bavail == 0

    def kill(self) -> None:
        """Kill every process inside and wait until all are gone."""
        if self._first < 0:
            self.process.kill()
        else:
            with contextlib.suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._first, signal.SIGKILL)
            # The first process of a pid namespace ends only after every other one in it.
            waiting = select.poll()
            waiting.register(self._first, select.POLLIN)
            waiting.poll()

    def exit_code(self) -> int | None:
        """What the command returned, as a shell would say it; None where none ran to its end.

        Bubblewrap tells this apart from its own failures, on a pipe that nothing inside can reach.
        """
        said = b""
        while chunk := os.read(self._status, 4096):
            said += chunk
            if b"exit-code" in said and said.endswith(b"\n"):
                return int(json.loads(said)["exit-code"])
        return None

    def _first_pid(self) -> int:
        said = b""
        while chunk := os.read(self._status, 4096):
            said += chunk
            if b"\n" in said:
                return int(json.loads(said.partition(b"\n")[0])["child-pid"])
        raise SandboxError(f"bubblewrap could not begin: {self.complaint()}", hint=_HINT)

    def complaint(self) -> str:
        """What a sandbox that did not stand said before it ended."""
        self.process.wait()
        os.set_blocking(self.stderr, False)
        with contextlib.suppress(BlockingIOError):
            return os.read(self.stderr, 4096).decode(errors="replace").strip() or "it said nothing"
        return "it said nothing"

    def release(self) -> None:
        """Kill what is left and let go of descriptors and control groups."""
        self.kill()
        held = (self._first, self._space, self._workspace, self._status, self.stdin, self.stdout, self.stderr)
        for descriptor in held:
            if descriptor >= 0:
                os.close(descriptor)
        self._first = self._space = self._workspace = self._status = -1
        self.stdin = self.stdout = self.stderr = -1
        self.group.remove()
        _leaving.append(self.process)


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
        arguments = ["--json-status-fd", str(tell), "--block-fd", str(wait)]
        for content, target in files:
            arguments += ["--ro-bind-data", str(descriptors.data(content)), target]
        arguments += inner_arguments(confinement, overlay=engine.overlay, resident=resident)
        if (program := filter_program()) is not None:
            arguments += ["--seccomp", str(descriptors.data(program))]
        if resident:
            arguments.append("--as-pid-1")
        # By descriptor, because what stands on the first process's command line can be read inside.
        packed = descriptors.data(os.fsencode("\0".join([*arguments, ""])))
        line = [*_outer(engine, confinement), str(engine.program), "--args", str(packed), "--", *command]
        given = [tell, wait, *descriptors.given, *passed]
        launched = _spawn(descriptors, line, given, told, confinement.limits)
        try:
            descriptors.close(tell)
            pid = launched.hold()
            if engine.overlay:
                launched.hold_space(space_folder())
            launched.group.attach(pid)
            _set_limits(pid, confinement, whole=not resident)
            if confinement.gpu and (gpus := _numbers(confinement)):
                launched.meter = GpuMeter(gpus, pid, confinement.limits.gpu_memory_mb)
            os.write(leave, b"\n")
        except BaseException:
            launched.release()
            raise
        return launched


def _numbers(confinement: Confinement) -> tuple[int, ...]:
    return gpu_numbers() if confinement.gpus is None else confinement.gpus


def _outer(engine: Engine, confinement: Confinement) -> list[str]:
    return [str(engine.program), *outer_arguments(confinement), "--"] if engine.overlay else []


def _spawn(
    descriptors: Descriptors, line: Sequence[str], given: Sequence[int], told: int, limits: Limits
) -> Launched:
    stdin, feed = descriptors.pipe()
    stdout_read, stdout = descriptors.pipe()
    stderr_read, stderr = descriptors.pipe()
    process = subprocess.Popen(
        line, stdin=stdin, stdout=stdout, stderr=stderr, env={}, cwd="/", pass_fds=given, process_group=0
    )
    try:
        _reap()  # while the new bubblewrap makes its namespaces
        group = Group(limits)
    except BaseException:
        process.kill()
        process.wait()
        raise
    ours = (feed, stdout_read, stderr_read, told)
    for descriptor in ours:
        descriptors.keep(descriptor)
    return Launched(process, ours, group)


def _reap() -> None:
    for process in list(_leaving):
        if process.poll() is not None:
            with contextlib.suppress(ValueError):  # another thread was quicker
                _leaving.remove(process)


def _set_limits(pid: int, confinement: Confinement, *, whole: bool) -> None:
    """Set what the kernel holds for each process; what a control group holds better is left to it."""
    held, limits = mechanisms(), confinement.limits
    size = limits.file_size_mb * MEBIBYTE
    wanted = {resource.RLIMIT_FSIZE: (size, size), resource.RLIMIT_CORE: (0, 0)}
    if held["memory"] == "rlimit":
        # CUDA reserves addresses for all memory of all GPUs, which are no memory that is in use.
        kind = resource.RLIMIT_DATA if confinement.gpu else resource.RLIMIT_AS
        wanted[kind] = (limits.memory_mb * MEBIBYTE,) * 2
    if held["processes"] == "rlimit":
        wanted[resource.RLIMIT_NPROC] = (limits.processes,) * 2
    if limits.cpu_seconds is not None and whole:
        wanted[resource.RLIMIT_CPU] = (limits.cpu_seconds, limits.cpu_seconds + 1)
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = _OPEN_FILES if hard == resource.RLIM_INFINITY else min(hard, _OPEN_FILES)
    wanted[resource.RLIMIT_NOFILE] = (min(1024, most), most)
    for kind, value in wanted.items():
        resource.prlimit(pid, kind, value)
