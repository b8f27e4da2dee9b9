"""The mounts of one sandbox, as arguments for bubblewrap.

Two bubblewraps stand inside each other. The outer one only makes a file system of fixed size in
memory; all that the inner one lets a program write (the workspace's upper layer, /tmp, /var/tmp, the
home folder, /dev/shm) lies on it, so one cap holds for all of it and nothing is left on the host's
disk. Where overlays do not work, one bubblewrap copies the workspace into such a file system.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

from assay.errors import UsageError
from assay.sandbox.confinement import MEBIBYTE, WORKSPACE, Confinement, Limits
from assay.sandbox.gpu.devices import device_files, driver_folder, gpu_variables
from assay.sandbox.host.scratch import scratch_folder
from assay.sandbox.host.system import (
    HOME,
    SYSTEM_PATH,
    interpreter_of,
    kernel_settings,
    package_folders,
    refuse_own,
    system_view,
)
from assay.sandbox.proxy.process import VARIABLES as PROXY_VARIABLES
from assay.sandbox.session.own_python import own_python

PRISTINE = "/run/pristine"
UPPER = "upper"
_RESIDENT_WRITABLE = {"optional": "/opt"}
"""Where Inspect's human agent puts its program."""
_WRITABLE = {"tmp": "/tmp", "variable": "/var/tmp", "home": HOME, "shared": "/dev/shm"}
PLACES = (*_WRITABLE.values(), *_RESIDENT_WRITABLE.values())
"""Every folder but the workspace that can be written."""
_NAMESPACES = (
    *("--unshare-user", "--disable-userns", "--unshare-pid", "--unshare-ipc", "--unshare-uts"),
    *("--unshare-net", "--unshare-cgroup-try", "--die-with-parent", "--hostname", "box"),
    *("--uid", "1000", "--gid", "1000", "--clearenv"),
)


def space_folder() -> Path:
    """The empty host folder over which the outer bubblewrap mounts the sized file system."""
    return _space_folder(scratch_folder())


@cache
def _space_folder(scratch: Path) -> Path:
    folder = scratch / "space"
    folder.mkdir(exist_ok=True)
    return folder


def disk_bytes(limits: Limits) -> int:
    """The size of the file system: never so much of the memory that a full disk ends the sandbox."""
    return min(limits.disk_mb * MEBIBYTE, limits.memory_mb * MEBIBYTE * 3 // 4)


def outer_arguments(confinement: Confinement) -> list[str]:
    """The whole host as it is, plus the sized file system."""
    space = str(space_folder())
    arguments = ["--unshare-user", "--die-with-parent", "--argv0", "bwrap", "--dev-bind", "/", "/"]
    arguments += ["--size", str(disk_bytes(confinement.limits)), "--tmpfs", space]
    for name in (UPPER, "work", "home", "optional"):
        arguments += ["--dir", f"{space}/{name}"]
    for name in ("tmp", "variable", "shared"):
        arguments += ["--perms", "1777", "--dir", f"{space}/{name}"]
    return arguments


def inner_arguments(confinement: Confinement, *, overlay: bool, resident: bool = False) -> list[str]:
    """Namespaces, environment and mounts of the sandbox proper."""
    check(confinement)
    arguments = [*_NAMESPACES, *_system(scratch_folder()), "--proc", "/proc", "--dev", "/dev"]
    arguments += _kernel_files(confinement, resident=resident)
    if resident:
        arguments.append("--new-session")
    else:
        # The harness's terminal stays out of reach. A session of its own would do that too, but
        # the kernel's automatic grouping makes a new session's start several milliseconds slower.
        arguments += ["--ro-bind", "/dev/null", "/dev/tty"]
    if confinement.gpu:
        arguments += _graphics(confinement.gpus)
    places = {**_WRITABLE, **_RESIDENT_WRITABLE} if resident else _WRITABLE
    arguments += _writable(confinement, places, overlay=overlay)
    for source, target in python_mounts(confinement.environment, system_view(scratch_folder()).empty):
        arguments += ["--ro-bind", source, target]
    arguments += _workspace(confinement, overlay=overlay)
    for mount in confinement.mounts:
        arguments += ["--bind" if mount.writable else "--ro-bind", str(mount.source.resolve()), mount.target]
    variables = variables_of(confinement)
    if resident:  # its commands bring theirs
        harness = own_python(system_view(scratch_folder()).empty)
        variables = {"PATH": SYSTEM_PATH, **harness.variables}
        for source, target in harness.mounts:
            arguments += ["--ro-bind", source, target]
    # What bubblewrap itself made is on a file system without a size: close it for writing.
    arguments += ["--dir", "/run", "--remount-ro", "/dev", "--remount-ro", "/", "--chdir", WORKSPACE]
    for name, value in variables.items():
        arguments += ["--setenv", name, value]
    return arguments


def _kernel_files(confinement: Confinement, *, resident: bool) -> list[str]:
    """Close what of /proc concerns the whole machine.

    The quick way closes all of /proc for writing. It does not serve the resident process, which sets
    which process the kernel kills first, nor CUDA, which cannot begin (error 304) where a process
    cannot write its own entries. What they can still write concerns processes of the sandbox alone.
    """
    if not resident and not confinement.gpu:
        return ["--remount-ro", "/proc"]
    closed = [word for path in kernel_settings() for word in ("--ro-bind", path, path)]
    # Some files of a process can be written by every process of the same user, whatever it may trace.
    return [*closed, "--ro-bind", system_view(scratch_folder()).empty, "/proc/1"]


def _graphics(gpus: tuple[int, ...] | None) -> list[str]:
    """The device files of the GPUs, and the driver's library where it is outside the system's folders."""
    arguments = []
    for path in device_files(gpus):
        arguments += ["--dev-bind-try", path, path]
    folder = driver_folder()
    if folder is not None and not folder.is_relative_to("/usr"):
        arguments += ["--ro-bind", str(folder.resolve()), str(folder)]
    return arguments


def check(confinement: Confinement) -> None:
    """Refuse a confinement whose folders are missing or show Assay itself."""
    named = [mount.source for mount in confinement.mounts]
    named += [path for path in (confinement.workspace, confinement.environment) if path is not None]
    for path in named:
        if not path.exists():
            raise UsageError(f"{path} is to be shown in a sandbox but does not exist")
        refuse_own(path)
    for mount in confinement.mounts:
        if not mount.target.startswith("/") or ".." in Path(mount.target).parts:
            raise UsageError(f"the mount target {mount.target!r} must be an absolute path without '..'")


def variables_of(confinement: Confinement) -> dict[str, str]:
    """The whole environment of a command: nothing comes from the host."""
    variables = {"HOME": HOME, "USER": "agent", "LOGNAME": "agent", "LANG": "C.UTF-8", "PATH": SYSTEM_PATH}
    variables["SHELL"] = "/bin/sh"
    if confinement.environment is not None:
        variables["VIRTUAL_ENV"] = str(confinement.environment)
        variables["PATH"] = f"{confinement.environment}/bin:{SYSTEM_PATH}"
    else:
        variables["PATH"] = f"{interpreter_of(None).program.parent}:{SYSTEM_PATH}"
    if confinement.hosts:
        variables.update(PROXY_VARIABLES)
    if confinement.gpu:
        variables.update(gpu_variables(confinement.gpus))
    return {**variables, **confinement.variables}


@cache
def _system(scratch: Path) -> tuple[str, ...]:
    view = system_view(scratch)
    arguments: list[str] = []
    for source, target in view.binds:
        arguments += ["--ro-bind", source, target]
    for target, path in view.links:
        arguments += ["--symlink", target, path]
    for path in view.covered:
        arguments += ["--ro-bind", view.empty, path]
    return tuple(arguments)


def _writable(confinement: Confinement, places: Mapping[str, str], *, overlay: bool) -> list[str]:
    arguments = []
    for name, target in places.items():
        if overlay:
            arguments += ["--bind", f"{space_folder()}/{name}", target]
        else:
            arguments += ["--size", str(disk_bytes(confinement.limits)), "--tmpfs", target]
    return arguments


@cache
def python_mounts(environment: Path | None, empty: str) -> tuple[tuple[str, str], ...]:
    """The (source, target) pairs that show a Python, its installed packages covered, and an environment."""
    mounts = []
    for prefix in interpreter_of(environment).prefixes:
        if prefix in (Path("/usr"), Path("/usr/local"), Path("/")):
            continue
        mounts.append((str(prefix.resolve()), str(prefix)))
        for folder in package_folders(prefix):
            mounts.append((empty, str(prefix / folder.relative_to(prefix.resolve()))))
    if environment is not None:
        mounts.append((str(environment.resolve()), str(environment)))
    return tuple(mounts)


def python_folders(environment: Path | None) -> list[str]:
    """The folders of a sandbox's Python and of its environment, as a link inside names them."""
    prefixes = [str(prefix) for prefix in interpreter_of(environment).prefixes if prefix != Path("/")]
    return prefixes if environment is None else [*prefixes, str(environment)]


def program_mounts(folders: Iterable[Path]) -> list[tuple[Path, str]]:
    """The (source, target) pairs that show folders of programs; a virtual environment with its Python."""
    mounts: list[tuple[Path, str]] = []
    for folder in folders:
        if (folder / "pyvenv.cfg").is_file():
            empty = system_view(scratch_folder()).empty
            mounts += [(Path(source), target) for source, target in python_mounts(folder, empty)]
        else:
            mounts.append((folder, str(folder)))
    return mounts


def _workspace(confinement: Confinement, *, overlay: bool) -> list[str]:
    source = confinement.workspace
    if overlay and source is None:
        return ["--bind", f"{space_folder()}/{UPPER}", WORKSPACE]
    if overlay and source is not None:
        upper, work = f"{space_folder()}/{UPPER}", f"{space_folder()}/work"
        return ["--overlay-src", str(source.resolve()), "--overlay", upper, work, WORKSPACE]
    arguments = ["--size", str(disk_bytes(confinement.limits)), "--tmpfs", WORKSPACE]
    return arguments if source is None else [*arguments, "--ro-bind", str(source.resolve()), PRISTINE]
