"""The Python interpreters of this machine, for tests that must hold under each of them."""

from __future__ import annotations

import functools
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ASK = "import sys; print('%d.%d.%d' % sys.version_info[:3])"
OLDEST = (3, 11)
"""The oldest Python that Assay itself supports."""
OLDEST_OF_TASKS = (3, 6)
"""The oldest Python of a task's environment."""
DEBIAN = Path("/usr/bin/python3")
"""Debian 12 brings 3.11.2 here, the oldest patch version that is supported."""


@functools.cache
def interpreters() -> dict[str, Path]:
    """Version → interpreter: the running one, Debian's, pyenv's and those on the PATH."""
    found = {".".join(map(str, sys.version_info[:3])): Path(sys.executable)}
    for place in _places():
        version = _version(place) if place.is_file() else None
        if version is not None:
            found.setdefault(version, place)
    return dict(sorted(found.items(), key=lambda item: _numbers(item[0])))


def supported() -> dict[str, Path]:
    """Those that Assay itself can run under."""
    return {version: place for version, place in interpreters().items() if _numbers(version) >= OLDEST}


def one_of_each_minor() -> dict[str, Path]:
    """Versions such as 3.8, from 3.6 on, and one interpreter of each: what a task may run under."""
    found: dict[str, Path] = {}
    for version, place in interpreters().items():
        if _numbers(version) >= OLDEST_OF_TASKS:
            found.setdefault(".".join(version.split(".")[:2]), place)
    return found


def environment_of(program: Path, folder: Path) -> Path:
    """A virtual environment of an interpreter, without pip."""
    subprocess.run([program, "-m", "venv", "--without-pip", folder], check=True, capture_output=True)
    return folder


def of_minor(minor: str) -> list[Path]:
    """Every interpreter of a version such as 3.12, whatever its patch version."""
    return [place for version, place in interpreters().items() if version.startswith(f"{minor}.")]


def _places() -> Iterator[Path]:
    yield DEBIAN
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    if os.access(pyenv, os.R_OK):
        yield from sorted(pyenv.glob("versions/*/bin/python3"))
    for minor in range(OLDEST[1], 20):
        if named := shutil.which(f"python3.{minor}"):
            yield Path(named)


def _version(python: Path) -> str | None:
    """What it says of itself; None for a pyenv shim without a version behind it."""
    try:
        asked = subprocess.run([python, "-I", "-S", "-c", ASK], capture_output=True, text=True, timeout=60)
    except OSError:
        return None
    return asked.stdout.strip() or None


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))
