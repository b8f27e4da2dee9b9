"""The Python that runs the resident process: Assay's own, never the task's.

A task may bring any Python, an old one, or none. So the harness mounts the interpreter that runs Assay,
separate from the task's files: its program and its libraries, read-only, without installed packages. A
system interpreter is part of every sandbox, and runs from its usual path.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from assay.errors import SandboxError
from assay.sandbox.host.system import own_folders, package_folders

MOUNT_POINT = "/run/harness"


@dataclass(frozen=True, slots=True)
class OwnPython:
    """Program, mounts and variables that start Assay's interpreter inside a sandbox."""

    program: str
    mounts: tuple[tuple[str, str], ...] = ()
    """(source, target) pairs, all read-only."""
    variables: Mapping[str, str] = field(default_factory=dict)
    """Path of its shared libraries, for builds that refer to them by an absolute path."""


def own_python(empty: str) -> OwnPython:
    """Return Assay's interpreter; the folder `empty` hides installed packages."""
    return mounted_python(Path(sys.base_prefix), empty)


@cache
def mounted_python(prefix: Path, empty: str) -> OwnPython:
    """Return the interpreter of this version below a prefix, at its usual path or under `MOUNT_POINT`."""
    program = _program(prefix)
    real_prefix = program.resolve().parent.parent
    if real_prefix.is_relative_to("/usr") or real_prefix == Path("/"):
        return OwnPython(str(program.resolve()))
    mounts = [(str(program.resolve()), f"{MOUNT_POINT}/bin/{program.name}")]
    libraries = [folder for name in ("lib", "lib64") if (folder := real_prefix / name).is_dir()]
    libraries = [folder for folder in libraries if not folder.is_symlink()]
    mounts += [(str(folder), f"{MOUNT_POINT}/{folder.name}") for folder in libraries]
    hidden = [*package_folders(real_prefix), *own_folders()]
    mounts += [
        (empty, f"{MOUNT_POINT}/{folder.relative_to(real_prefix)}")
        for folder in sorted(set(hidden))
        if any(folder.is_relative_to(library) for library in libraries)
    ]
    library_path = ":".join(f"{MOUNT_POINT}/{folder.name}" for folder in libraries)
    return OwnPython(f"{MOUNT_POINT}/bin/{program.name}", tuple(mounts), {"LD_LIBRARY_PATH": library_path})


def _program(prefix: Path) -> Path:
    expected = prefix / "bin" / f"python{sys.version_info.major}.{sys.version_info.minor}"
    for program in (expected, prefix / "bin" / "python3"):
        if program.exists():
            return program
    raise SandboxError(
        f"{prefix} contains no {expected.name}, which Assay itself needs",
        hint="create Assay's environment again with an installed Python",
    )
