"""Calls uv, which resolves, installs and finds interpreters."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple


def run_uv(arguments: Sequence[str], folder: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run uv and take what it says; the environment that Assay runs in is not its business."""
    from uv import find_uv_bin

    inherited = {key: value for key, value in os.environ.items() if key != "VIRTUAL_ENV"}
    if "PIP_FIND_LINKS" in inherited:
        # Whoever has told pip of a folder of wheels means it for every installer.
        inherited.setdefault("UV_FIND_LINKS", ",".join(inherited["PIP_FIND_LINKS"].split()))
    inherited |= {"UV_NO_PROGRESS": "1", "NO_COLOR": "1", "PATH": _path(inherited.get("PATH", os.defpath))}
    return subprocess.run(
        [find_uv_bin(), *arguments],
        capture_output=True,
        text=True,
        errors="replace",
        env=inherited,
        cwd=folder,
    )


class Interpreter(NamedTuple):
    """A Python on this machine."""

    version: str
    program: Path


@cache
def interpreters() -> dict[str, Interpreter]:
    """The newest interpreter of each minor version here, the oldest first: 3.10 -> 3.10.13, its program."""
    said = run_uv(["python", "list", "--only-installed", "--no-config", "--output-format", "json"]).stdout
    found: dict[tuple[int, int, int], Path] = {}
    for each in json.loads(said or "[]"):
        plain = each["implementation"] == "cpython" and each.get("variant", "default") == "default"
        if plain and each["path"] and "/shims/" not in each["path"]:
            parts = each["version_parts"]
            found.setdefault((parts["major"], parts["minor"], parts["patch"]), Path(each["path"]))
    usable = sorted(version for version in found if version >= (3, 8))
    return {
        f"{major}.{minor}": Interpreter(f"{major}.{minor}.{patch}", found[major, minor, patch])
        for major, minor, patch in usable
    }


def _path(path: str) -> str:
    """The search path with every Python of pyenv on it: its shims hide all but the chosen ones from uv."""
    root = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv")
    return os.pathsep.join([path, *map(str, sorted(root.glob("versions/*/bin")))])
