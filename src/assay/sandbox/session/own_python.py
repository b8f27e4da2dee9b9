"""The Python under which the resident process runs: Assay's own, never the task's.

A task may bring any Python, an old one, or none. So the harness shows the interpreter on which Assay itself
runs, apart from everything that belongs to the task: its program and its libraries, read-only, without any
installed package. An interpreter of the system is part of every sandbox anyway, and runs in place.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from assay.errors import SandboxError
from assay.sandbox.host.system import own_folders, package_folders

PLACE = "/run/harness"


@dataclass(frozen=True, slots=True)
class OwnPython:
    """How to start Assay's interpreter inside a sandbox."""

    program: str
    mounts: tuple[tuple[str, str], ...] = ()
    """(source, target) pairs, all read-only."""
    variables: Mapping[str, str] = field(default_factory=dict)
    """Where its shared libraries are, for builds that name them by an absolute path."""


def own_python(empty: str) -> OwnPython:
    """Assay's interpreter; `empty` is the folder that covers installed packages."""
    return shown_apart(Path(sys.base_prefix), empty)


@cache
def shown_apart(prefix: Path, empty: str) -> OwnPython:
    """The interpreter of this version below a prefix, in place or under a path of its own."""
    program = _program(prefix)
    real = program.resolve().parent.parent
    if real.is_relative_to("/usr") or real == Path("/"):
        return OwnPython(str(program.resolve()))
    mounts = [(str(program.resolve()), f"{PLACE}/bin/{program.name}")]
    libraries = [folder for name in ("lib", "lib64") if (folder := real / name).is_dir()]
    libraries = [folder for folder in libraries if not folder.is_symlink()]
    mounts += [(str(folder), f"{PLACE}/{folder.name}") for folder in libraries]
    hidden = [*package_folders(real), *own_folders()]
    mounts += [
        (empty, f"{PLACE}/{folder.relative_to(real)}")
        for folder in sorted(set(hidden))
        if any(folder.is_relative_to(library) for library in libraries)
    ]
    search = ":".join(f"{PLACE}/{folder.name}" for folder in libraries)
    return OwnPython(f"{PLACE}/bin/{program.name}", tuple(mounts), {"LD_LIBRARY_PATH": search})


def _program(prefix: Path) -> Path:
    named = prefix / "bin" / f"python{sys.version_info.major}.{sys.version_info.minor}"
    for program in (named, prefix / "bin" / "python3"):
        if program.exists():
            return program
    raise SandboxError(
        f"{prefix} holds no {named.name}, on which Assay itself runs",
        hint="make Assay's own environment again with a Python that is still installed",
    )
