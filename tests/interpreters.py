"""The Python interpreters of this machine, each minor version once, for tests that hold for all of them."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

OLDEST = (3, 6)


def interpreters() -> dict[str, Path]:
    """Minor version → a program of that version, from pyenv and from the system."""
    root = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    programs = [*root.glob("versions/3.*/bin/python3"), *Path("/usr/bin").glob("python3.*")]
    found: dict[str, Path] = {}
    for program in sorted(programs):
        if program.parent == Path("/usr/bin") and not re.fullmatch(r"python3\.\d+", program.name):
            continue
        version = _version(program)
        if version is not None and version >= OLDEST:
            found.setdefault(".".join(map(str, version)), program)
    return found


def environment_of(program: Path, folder: Path) -> Path:
    """A virtual environment of an interpreter, without pip."""
    subprocess.run([program, "-m", "venv", "--without-pip", folder], check=True, capture_output=True)
    return folder


def _version(program: Path) -> tuple[int, ...] | None:
    asking = [program, "-I", "-c", "import sys; print(*sys.version_info[:2])"]
    try:
        answer = subprocess.run(asking, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return tuple(int(part) for part in answer.stdout.split())
