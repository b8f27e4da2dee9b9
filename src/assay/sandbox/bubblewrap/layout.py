"""The mounts of one sandbox, as arguments for bubblewrap.

One bubblewrap runs inside another. The outer one only creates a file system of fixed size in memory.
Every folder that a program can write (the workspace's upper layer, /tmp, /var/tmp, the home folder,
/dev/shm) is on that file system, so one limit holds for all of them and no file stays on the host's
disk. Where overlays do not work, one bubblewrap copies the workspace into such a file system.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

from assay.errors import UsageError
from assay.sandbox.confinement import MEBIBYTE, WORKSPACE, Confinement, SandboxLimits
from assay.sandbox.gpu.devices import device_files, driver_folder, gpu_variables
from assay.sandbox.host.scratch import scratch_folder
from assay.sandbox.host.system import (
    HOME,
    SYSTEM_PATH,
    base_python_of,
    kernel_settings,
    package_folders,
    refuse_own_folders,
    system_view,
)
from assay.sandbox.proxy.process import VARIABLES as PROXY_VARIABLES
from assay.sandbox.session.own_python import own_python

PRISTINE = "/run/pristine"
UPPER = "upper"
_RESIDENT_WRITABLE = {"optional": "/opt"}
"""Where Inspect's human agent puts its program."""
_WRITABLE = {"tmp": "/tmp", "variable": "/var/tmp", "home": HOME, "shared": "/dev/shm"}
WRITABLE_FOLDERS = (*_WRITABLE.values(), *_RESIDENT_WRITABLE.values())
"""Every writable folder except the workspace."""
_NAMESPACES = (
    *("--unshare-user", "--disable-userns", "--unshare-pid", "--unshare-ipc", "--unshare-uts"),
    *("--unshare-net", "--unshare-cgroup-try", "--die-with-parent", "--hostname", "box"),
    *("--uid", "1000", "--gid", "1000", "--clearenv"),
)


def space_folder() -> Path:
    """Return the empty host folder over which the outer bubblewrap mounts the sized file system."""
    return _space_folder(scratch_folder())


@cache
def _space_folder(scratch: Path) -> Path:
    folder = scratch / "space"
    folder.mkdir(exist_ok=True)
    return folder


def disk_bytes(limits: SandboxLimits) -> int:
    """Return the size of the file system; a full disk must not use up the sandbox's memory."""
    return min(limits.disk_mb * MEBIBYTE, limits.memory_mb * MEBIBYTE * 3 // 4)


def outer_arguments(confinement: Confinement) -> list[str]:
    """Return arguments that show the whole host unchanged, plus the sized file system."""
    space = str(space_folder())
    arguments = ["--unshare-user", "--die-with-parent", "--argv0", "bwrap", "--dev-bind", "/", "/"]
    arguments += ["--size", str(disk_bytes(confinement.limits)), "--tmpfs", space]
    for name in (UPPER, "work", "home", "optional"):
        arguments += ["--dir", f"{space}/{name}"]
    for name in ("tmp", "variable", "shared"):
        arguments += ["--perms", "1777", "--dir", f"{space}/{name}"]
    return arguments


def inner_arguments(confinement: Confinement, *, overlay: bool, resident: bool = False) -> list[str]:
    """Return the arguments for namespaces, environment and mounts of the sandbox itself."""
    check_confinement(confinement)
    arguments = [*_NAMESPACES, *_system(scratch_folder()), "--proc", "/proc", "--dev", "/dev"]
    arguments += _kernel_files(confinement, resident=resident)
    if resident:
        arguments.append("--new-session")
    else:
        # Hides the harness's terminal. A new session would do that too, but
        # the kernel's automatic grouping makes a new session's start several milliseconds slower.
        arguments += ["--ro-bind", "/dev/null", "/dev/tty"]
    if confinement.gpu:
        arguments += _gpu_mounts(confinement.gpus)
    writable_folders = {**_WRITABLE, **_RESIDENT_WRITABLE} if resident else _WRITABLE
    arguments += _writable(confinement, writable_folders, overlay=overlay)
    for source, target in python_mounts(confinement.environment, system_view(scratch_folder()).empty):
        arguments += ["--ro-bind", source, target]
    arguments += _workspace(confinement, overlay=overlay)
    for mount in confinement.mounts:
        arguments += ["--bind" if mount.writable else "--ro-bind", str(mount.source.resolve()), mount.target]
    variables = variables_of(confinement)
    if resident:  # its commands bring their own variables
        harness = own_python(system_view(scratch_folder()).empty)
        variables = {"PATH": SYSTEM_PATH, **harness.variables}
        for source, target in harness.mounts:
            arguments += ["--ro-bind", source, target]
    for source, target in covering_mounts(confinement, resident=resident):
        arguments += ["--ro-bind", source, target]
    # Bubblewrap's own folders are on a file system without a size limit: make them read-only.
    arguments += ["--dir", "/run", "--remount-ro", "/dev", "--remount-ro", "/", "--chdir", WORKSPACE]
    for name, value in variables.items():
        arguments += ["--setenv", name, value]
    return arguments


def _kernel_files(confinement: Confinement, *, resident: bool) -> list[str]:
    """Hide the first process, and make the parts of /proc read-only that concern the whole machine.

    Every process of the same user can read the memory of the first one, in which bubblewrap keeps its
    arguments, and can write some of its files, even where it cannot trace it.

    The quick way makes all of /proc read-only. That breaks the resident process, which sets which
    process the kernel kills first, and CUDA, which fails (error 304) if a process cannot write its own
    entries. Entries that stay writable concern only processes of the sandbox.
    """
    hidden = ["--ro-bind", system_view(scratch_folder()).empty, "/proc/1"]
    if not resident and not confinement.gpu:
        return [*hidden, "--remount-ro", "/proc"]
    read_only = [word for path in kernel_settings() for word in ("--ro-bind", path, path)]
    return [*read_only, *hidden]


def _gpu_mounts(gpus: tuple[int, ...] | None) -> list[str]:
    """Return mounts of the GPUs' device files, and of the driver's library if it is outside /usr."""
    arguments = []
    for path in device_files(gpus):
        arguments += ["--dev-bind-try", path, path]
    folder = driver_folder()
    if folder is not None and not folder.is_relative_to("/usr"):
        arguments += ["--ro-bind", str(folder.resolve()), str(folder)]
    return arguments


def check_confinement(confinement: Confinement) -> None:
    """Raise if a folder of the confinement is missing or contains Assay itself."""
    paths = [mount.source for mount in confinement.mounts]
    paths += [path for path in (confinement.workspace, confinement.environment) if path is not None]
    for path in paths:
        if not path.exists():
            raise UsageError(f"{path} does not exist, so a sandbox cannot mount it")
        refuse_own_folders(path)
    for mount in confinement.mounts:
        if not mount.target.startswith("/") or ".." in Path(mount.target).parts:
            raise UsageError(f"the mount target {mount.target!r} must be an absolute path without '..'")


def variables_of(confinement: Confinement) -> dict[str, str]:
    """Return all environment variables of a command; none comes from the host."""
    variables = {"HOME": HOME, "USER": "agent", "LOGNAME": "agent", "LANG": "C.UTF-8", "PATH": SYSTEM_PATH}
    variables["SHELL"] = "/bin/sh"
    if confinement.environment is not None:
        variables["VIRTUAL_ENV"] = str(confinement.environment)
        variables["PATH"] = f"{confinement.environment}/bin:{SYSTEM_PATH}"
    else:
        variables["PATH"] = f"{base_python_of(None).program.parent}:{SYSTEM_PATH}"
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
    for path in view.hidden:
        arguments += ["--ro-bind", view.empty, path]
    return tuple(arguments)


def _writable(confinement: Confinement, folders: Mapping[str, str], *, overlay: bool) -> list[str]:
    arguments = []
    for name, target in folders.items():
        if overlay:
            arguments += ["--bind", f"{space_folder()}/{name}", target]
        else:
            arguments += ["--size", str(disk_bytes(confinement.limits)), "--tmpfs", target]
    return arguments


@cache
def python_mounts(environment: Path | None, empty: str) -> tuple[tuple[str, str], ...]:
    """Return (source, target) pairs for a Python with hidden packages, and for an environment."""
    mounts = []
    for prefix in base_python_of(environment).prefixes:
        if prefix in (Path("/usr"), Path("/usr/local"), Path("/")):
            continue
        mounts.append((str(prefix.resolve()), str(prefix)))
        for folder in package_folders(prefix):
            mounts.append((empty, str(prefix / folder.relative_to(prefix.resolve()))))
    if environment is not None:
        mounts.append((str(environment.resolve()), str(environment)))
    return tuple(mounts)


def system_mounts(environment: Path | None, *, resident: bool = True) -> list[tuple[str, str]]:
    """Return (source, target) pairs for the system and the Pythons of a sandbox, without the environment."""
    view = system_view(scratch_folder())
    mounts = [*view.binds, *((view.empty, folder) for folder in view.hidden)]
    mounts += python_mounts(environment, view.empty)
    if resident:
        mounts += own_python(view.empty).mounts
    return [pair for pair in mounts if environment is None or pair[1] != str(environment)]


def covering_mounts(confinement: Confinement, *, resident: bool) -> list[tuple[str, str]]:
    """Return (empty source, target) pairs for the covered paths, wherever the sandbox shows them."""
    if not confinement.covered:
        return []
    view = system_view(scratch_folder())
    mounts = system_mounts(confinement.environment, resident=resident)
    mounted = {target for _, target in mounts}
    covers: dict[str, str] = {}
    for path in confinement.covered:
        for source, target in mounts:
            if path != Path(source) and path.is_relative_to(source) and path.exists():
                place = str(Path(target, path.relative_to(source)))
                covers[place] = view.empty if path.is_dir() else view.empty_file
    return [(source, place) for place, source in covers.items() if place not in mounted]


def python_folders(environment: Path | None) -> list[str]:
    """Return the folders of a sandbox's Python and of its environment, as links inside name them."""
    prefixes = [str(prefix) for prefix in base_python_of(environment).prefixes if prefix != Path("/")]
    return prefixes if environment is None else [*prefixes, str(environment)]


def program_mounts(folders: Iterable[Path]) -> list[tuple[Path, str]]:
    """Return (source, target) pairs for folders of programs; a virtual environment comes with its Python."""
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
