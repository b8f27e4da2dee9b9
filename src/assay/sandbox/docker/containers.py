"""Docker instead of bubblewrap, for systems that refuse user namespaces and run a Docker daemon.

A container of an empty image mounts the same read-only parts of the host and runs the same resident
process. It starts a hundred times slower; each writable folder has its own size limit, and an outcome
names an exceeded limit only if the harness itself enforces it.
"""

from __future__ import annotations

import contextlib
import io
import os
import shutil
import socket
import subprocess
import tarfile
import tempfile
from functools import cache
from pathlib import Path

from assay.errors import SandboxError
from assay.sandbox.bubblewrap.layout import (
    PRISTINE,
    WRITABLE_FOLDERS,
    check_confinement,
    covering_mounts,
    disk_bytes,
    python_mounts,
)
from assay.sandbox.confinement import MEBIBYTE, WORKSPACE, Confinement, SandboxLimits
from assay.sandbox.gpu.devices import device_files
from assay.sandbox.host.cgroups import UncountedGroup
from assay.sandbox.host.ownership import name_of_this_process
from assay.sandbox.host.scratch import scratch_folder
from assay.sandbox.host.sockets import short_path
from assay.sandbox.host.system import SYSTEM_PATH, system_view
from assay.sandbox.session.own_python import own_python

_RENDEZVOUS = "/run/assay"
_SOURCE = Path(__file__).parents[1] / "session" / "resident.py"
_START_SECONDS = 240.0
"""Long, because a busy daemon is slow, and the harness notices a failed container at once."""


def docker_error() -> str | None:
    """Return why Docker cannot be used; None if its daemon answers."""
    if shutil.which("docker") is None:
        return "docker is not installed"
    answer = subprocess.run(["docker", "version"], capture_output=True, text=True, check=False)
    return None if answer.returncode == 0 else answer.stderr.strip().splitlines()[-1]


def docker_version() -> str:
    """Return the version of the daemon."""
    command = ["docker", "version", "--format", "{{.Server.Version}}"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


class Container:
    """A started container that runs a resident process."""

    def __init__(self, confinement: Confinement) -> None:
        check_confinement(confinement)
        self._folder = Path(tempfile.mkdtemp(dir=scratch_folder()))
        self._folder.chmod(0o711)
        shutil.copyfile(_SOURCE, self._folder / "resident.py")
        self._name = f"{name_of_this_process()}-{self._folder.name}"
        listener = socket.socket(socket.AF_UNIX)
        with listener, short_path(self._folder / "control") as path:
            listener.bind(path)
            (self._folder / "control").chmod(0o666)
            listener.listen(1)
            self.process = subprocess.Popen(
                _docker_run(confinement, self._folder, self._name),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                process_group=0,
            )
            self.control = self._accept(listener)
        self._process_descriptor = os.pidfd_open(self.process.pid)
        self._workspace = -1
        self.group = UncountedGroup()

    def set_workspace(self, descriptor: int) -> None:
        """Keep the descriptor of the workspace that the resident process sent."""
        self._workspace = descriptor

    def workspace(self) -> int:
        """Return a new descriptor of the workspace."""
        return os.dup(self._workspace)

    def disk_is_full(self) -> bool:
        """True if no more bytes fit into the workspace."""
        return self._workspace >= 0 and os.statvfs(self._workspace).f_bavail == 0

    def _accept(self, listener: socket.socket) -> socket.socket:
        """Accept exactly one connection: the resident process connects before any command starts."""
        listener.settimeout(0.2)
        for _ in range(int(_START_SECONDS / 0.2)):
            with contextlib.suppress(TimeoutError):
                control, _ = listener.accept()
                control.settimeout(None)
                return control
            if self.process.poll() is not None:
                break
        message = self.error_output()
        self._remove()
        raise SandboxError(f"the container did not start: {message}", hint="run `assay doctor`")

    @property
    def end_descriptor(self) -> int:
        """Descriptor that becomes readable when the container has ended."""
        return self._process_descriptor

    def error_output(self) -> str:
        """Return Docker's error output, after its end."""
        if self.process.poll() is None:
            self.process.kill()
        assert self.process.stderr is not None
        return self.process.stderr.read().decode(errors="replace").strip() or "no error message"

    def kill(self) -> None:
        """Kill everything inside."""
        subprocess.run(["docker", "kill", self._name], capture_output=True, check=False)

    def release(self) -> None:
        """Kill every remaining process and remove the container."""
        self._remove()
        os.close(self._process_descriptor)
        if self._workspace >= 0:
            os.close(self._workspace)

    def _remove(self) -> None:
        subprocess.run(["docker", "rm", "--force", self._name], capture_output=True, check=False)
        self.process.wait()
        if self.process.stderr is not None:
            self.process.stderr.close()
        shutil.rmtree(self._folder, ignore_errors=True)


def _docker_run(confinement: Confinement, folder: Path, name: str) -> list[str]:
    user = f"{os.getuid()}:{os.getgid()}" if os.getuid() else "1000:1000"
    command = [
        "docker",
        "run",
        "--rm",
        "--name",
        name,
        "--label",
        "assay",
        "--network",
        "none",
        "--read-only",
    ]
    command += [
        "--cap-drop",
        "ALL",
        "--security-opt",
        "no-new-privileges",
        "--user",
        user,
        "--ipc",
        "private",
    ]
    command += ["--hostname", "box", "--workdir", WORKSPACE, *_limits(confinement.limits)]
    harness = own_python(system_view(scratch_folder()).empty)
    for key, value in {"PATH": SYSTEM_PATH, **harness.variables}.items():  # commands bring their own
        command += ["--env", f"{key}={value}"]
    disk_size = disk_bytes(confinement.limits)
    owner, group = user.split(":")
    for folder_inside in (*WRITABLE_FOLDERS, WORKSPACE):
        if folder_inside != "/dev/shm":
            command += ["--tmpfs", f"{folder_inside}:exec,size={disk_size},uid={owner},gid={group},mode=1777"]
    for source, target, writable in _mounts(confinement, folder):
        mount = f"type=bind,source={source},target={target}"
        command += ["--mount", mount if writable else f"{mount},readonly"]
    if confinement.gpu:
        for device in filter(os.path.exists, device_files(confinement.gpus)):
            command += ["--device", device]
    command += [_image(), harness.program, "-I", "-S", f"{_RENDEZVOUS}/resident.py", f"{_RENDEZVOUS}/control"]
    return command if confinement.workspace is None else [*command, PRISTINE]


def _limits(limits: SandboxLimits) -> list[str]:
    memory = f"{limits.memory_mb}m"
    size = limits.file_size_mb * MEBIBYTE
    return [
        *("--memory", memory, "--memory-swap", memory, "--pids-limit", str(limits.processes)),
        *("--ulimit", f"fsize={size}:{size}", "--ulimit", "core=0", "--shm-size", str(disk_bytes(limits))),
    ]


def _mounts(confinement: Confinement, folder: Path) -> list[tuple[str, str, bool]]:
    view = system_view(scratch_folder())
    mounts = [(source, target, False) for source, target in view.binds]
    mounts += [(view.empty, hidden_folder, False) for hidden_folder in view.hidden]
    mounts += [
        (source, target, False) for source, target in python_mounts(confinement.environment, view.empty)
    ]
    mounts += [(str(mount.source.resolve()), mount.target, mount.writable) for mount in confinement.mounts]
    mounts += [(source, target, False) for source, target in own_python(view.empty).mounts]
    mounts += [(source, target, False) for source, target in covering_mounts(confinement, resident=True)]
    mounts.append((str(folder), _RENDEZVOUS, False))
    if confinement.workspace is not None:
        mounts.append((str(confinement.workspace.resolve()), PRISTINE, False))
    return mounts


@cache
def _image() -> str:
    """Create an image that contains only the system's links; everything else is a mount."""
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w") as archive:
        for target, path in system_view(scratch_folder()).links:
            link = tarfile.TarInfo(path.lstrip("/"))
            link.type, link.linkname = tarfile.SYMTYPE, target
            archive.addfile(link)
    command = ["docker", "import", "-"]
    answer = subprocess.run(command, input=content.getvalue(), capture_output=True, check=False)
    if answer.returncode != 0:
        raise SandboxError(f"Docker refuses an empty image: {answer.stderr.decode().strip()}")
    return answer.stdout.decode().strip()
