"""Starts bubblewrap for one sandbox and keeps descriptors of its first process, disk and workspace."""

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
from assay.sandbox.confinement import MEBIBYTE, WORKSPACE, Confinement, SandboxLimits
from assay.sandbox.engine import Engine, find_engine
from assay.sandbox.gpu.devices import gpu_numbers
from assay.sandbox.gpu.memory_watch import GpuMeter
from assay.sandbox.host.cgroups import SandboxGroup, limit_mechanisms
from assay.sandbox.host.descriptors import Descriptors

_OPEN_FILES = 65_536
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
_ending_processes: list[subprocess.Popen[bytes]] = []
"""Bubblewrap processes whose sandbox is dead: the kernel takes milliseconds to remove their mounts."""
_HINT = "run `assay doctor` to see what is missing"


class RunningSandbox:
    """A started sandbox; killing its first process kills everything inside."""

    def __init__(
        self, process: subprocess.Popen[bytes], pipes: tuple[int, int, int, int], group: SandboxGroup
    ) -> None:
        self.process = process
        self.stdin, self.stdout, self.stderr, self._status = pipes
        self.group = group
        self._pid = -1
        self.meter: GpuMeter | None = None
        """Measures GPU memory; None if the sandbox has no GPUs."""
        self._first_process = self._disk = self._workspace = -1

    def open_first_process(self) -> int:
        """Open the sandbox's first process, which waits for permission to start, and return its pid."""
        self._pid = self._first_pid()
        self._first_process = os.pidfd_open(self._pid)
        return self._pid

    def open_disk(self, folder: Path) -> None:
        """Open the sandbox's writable file system; the descriptor outlives the sandbox.

        The path goes through the first process's parent, which stays in the outer bubblewrap's namespace.
        """
        fields = Path(f"/proc/{self._pid}/stat").read_text().rpartition(")")[2].split()
        self._disk = os.open(f"/proc/{fields[1]}/root{folder}", _FOLDER)

    def set_workspace(self, descriptor: int | None = None) -> None:
        """Keep a descriptor of the started sandbox's workspace, with the host's folder below it."""
        self._workspace = (
            os.open(f"/proc/{self._pid}/root{WORKSPACE}", _FOLDER) if descriptor is None else descriptor
        )

    def workspace(self) -> int:
        """Return a new descriptor of the workspace; without a host folder, that is the upper layer."""
        return os.dup(self._workspace) if self._workspace >= 0 else os.open(UPPER, _FOLDER, dir_fd=self._disk)

    @property
    def end_descriptor(self) -> int:
        """Descriptor that becomes readable when every process inside is dead."""
        if self._first_process < 0:
            raise SandboxError("this sandbox has not been started, or was released")
        return self._first_process

    def disk_is_full(self) -> bool:
        """True if no more bytes fit into the sandbox's file system."""
        return os.statvfs(self._disk if self._disk >= 0 else self._workspace).f_bavail == 0

    def kill(self) -> None:
        """Kill every process inside and wait until all are dead."""
        if self._first_process < 0:
            self.process.kill()
        else:
            with contextlib.suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._first_process, signal.SIGKILL)
            # The first process of a pid namespace ends only after every other one in it.
            poller = select.poll()
            poller.register(self._first_process, select.POLLIN)
            poller.poll()

    def exit_code(self) -> int | None:
        """Return the command's exit code as a shell reports it; None if no command ran to its end.

        Bubblewrap writes it to a pipe that no process inside can reach, so its own failures stay distinct.
        """
        status = b""
        while chunk := os.read(self._status, 4096):
            status += chunk
            if b"exit-code" in status and status.endswith(b"\n"):
                return int(json.loads(status)["exit-code"])
        return None

    def _first_pid(self) -> int:
        status = b""
        while chunk := os.read(self._status, 4096):
            status += chunk
            if b"\n" in status:
                return int(json.loads(status.partition(b"\n")[0])["child-pid"])
        raise SandboxError(f"bubblewrap could not start: {self.error_output()}", hint=_HINT)

    def error_output(self) -> str:
        """Return the error output of a sandbox that did not start."""
        self.process.wait()
        os.set_blocking(self.stderr, False)
        with contextlib.suppress(BlockingIOError):
            return os.read(self.stderr, 4096).decode(errors="replace").strip() or "no error message"
        return "no error message"

    def release(self) -> None:
        """Kill every remaining process and close descriptors and control groups."""
        self.kill()
        descriptors = (
            self._first_process,
            self._disk,
            self._workspace,
            self._status,
            self.stdin,
            self.stdout,
            self.stderr,
        )
        for descriptor in descriptors:
            if descriptor >= 0:
                os.close(descriptor)
        self._first_process = self._disk = self._workspace = self._status = -1
        self.stdin = self.stdout = self.stderr = -1
        self.group.remove()
        _ending_processes.append(self.process)


def launch(
    confinement: Confinement,
    command: Sequence[str],
    *,
    inherited: Sequence[int] = (),
    resident: bool = False,
    files: Sequence[tuple[bytes, str]] = (),
    starter: Sequence[str] = (),
) -> RunningSandbox:
    """Start a command in a new sandbox; `starter` is a program that becomes bubblewrap.

    `resident` makes it the first process of its namespace, which nothing inside can kill; `files`
    appear read-only at their paths. The calling thread must live as long as the sandbox: the
    kernel ends a sandbox with the thread that started it.
    """
    engine = find_engine()
    with Descriptors() as descriptors:
        status_read, status_write = descriptors.pipe()
        start_read, start_write = descriptors.pipe()
        arguments = ["--json-status-fd", str(status_write), "--block-fd", str(start_read)]
        for content, target in files:
            arguments += ["--ro-bind-data", str(descriptors.data(content)), target]
        arguments += inner_arguments(confinement, overlay=engine.overlay, resident=resident)
        if (program := filter_program()) is not None:
            arguments += ["--seccomp", str(descriptors.data(program))]
        if resident:
            arguments.append("--as-pid-1")
        # By descriptor, because code inside can read the first process's command line.
        argument_file = descriptors.data(os.fsencode("\0".join([*arguments, ""])))
        command_line = [
            *starter,
            *_outer_command(engine, confinement),
            str(engine.program),
            "--args",
            str(argument_file),
            "--",
            *command,
        ]
        inherited_descriptors = [status_write, start_read, *descriptors.data_descriptors, *inherited]
        launched = _spawn(descriptors, command_line, inherited_descriptors, status_read, confinement.limits)
        try:
            descriptors.close(status_write)
            pid = launched.open_first_process()
            if engine.overlay:
                launched.open_disk(space_folder())
            launched.group.attach(pid)
            _set_limits(pid, confinement, is_resident=resident)
            if confinement.gpu and (gpus := _gpu_numbers(confinement)):
                launched.meter = GpuMeter(gpus, pid, confinement.limits.gpu_memory_mb)
            os.write(start_write, b"\n")
        except BaseException:
            launched.release()
            raise
        return launched


def _gpu_numbers(confinement: Confinement) -> tuple[int, ...]:
    return gpu_numbers() if confinement.gpus is None else confinement.gpus


def _outer_command(engine: Engine, confinement: Confinement) -> list[str]:
    return [str(engine.program), *outer_arguments(confinement), "--"] if engine.overlay else []


def _spawn(
    descriptors: Descriptors,
    command_line: Sequence[str],
    inherited: Sequence[int],
    status_read: int,
    limits: SandboxLimits,
) -> RunningSandbox:
    stdin, feed = descriptors.pipe()
    stdout_read, stdout = descriptors.pipe()
    stderr_read, stderr = descriptors.pipe()
    process = subprocess.Popen(
        command_line,
        stdin=stdin,
        stdout=stdout,
        stderr=stderr,
        env={},
        cwd="/",
        pass_fds=inherited,
        process_group=0,
    )
    try:
        _reap()  # while the new bubblewrap makes its namespaces
        group = SandboxGroup(limits)
    except BaseException:
        process.kill()
        process.wait()
        raise
    pipes = (feed, stdout_read, stderr_read, status_read)
    for descriptor in pipes:
        descriptors.release(descriptor)
    return RunningSandbox(process, pipes, group)


def _reap() -> None:
    for process in list(_ending_processes):
        if process.poll() is not None:
            with contextlib.suppress(ValueError):  # another thread was quicker
                _ending_processes.remove(process)


def _open_file_limit() -> int:
    """Open files that the harness and the first process of a sandbox may have.

    The kernel counts the descriptors that all processes of a user have sent and nobody has received, and lets
    a process send more only while they are no more than its own limit. Commands get a lower limit, so that no
    command can use up what the harness and the other sandboxes need.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    limit = _OPEN_FILES if hard == resource.RLIM_INFINITY else min(hard, _OPEN_FILES)
    if soft != resource.RLIM_INFINITY and soft < limit:
        resource.setrlimit(resource.RLIMIT_NOFILE, (limit, hard))
    return limit


def _set_limits(pid: int, confinement: Confinement, *, is_resident: bool) -> None:
    """Set rlimits on the first process, except for limits that a control group enforces."""
    mechanism, limits = limit_mechanisms(), confinement.limits
    size = limits.file_size_mb * MEBIBYTE
    rlimits = {resource.RLIMIT_FSIZE: (size, size), resource.RLIMIT_CORE: (0, 0)}
    if mechanism["memory"] == "rlimit":
        # CUDA reserves addresses for all memory of all GPUs; reserved addresses use no memory.
        kind = resource.RLIMIT_DATA if confinement.gpu else resource.RLIMIT_AS
        rlimits[kind] = (limits.memory_mb * MEBIBYTE,) * 2
    if mechanism["processes"] == "rlimit":
        rlimits[resource.RLIMIT_NPROC] = (limits.processes,) * 2
    if limits.cpu_seconds is not None and not is_resident:
        rlimits[resource.RLIMIT_CPU] = (limits.cpu_seconds, limits.cpu_seconds + 1)
    # The resident process gives its commands a quarter of its own limit, as a single command gets here.
    open_files = _open_file_limit() if is_resident else max(_open_file_limit() // 4, 256)
    rlimits[resource.RLIMIT_NOFILE] = (open_files if is_resident else min(1024, open_files), open_files)
    for kind, value in rlimits.items():
        resource.prlimit(pid, kind, value)
