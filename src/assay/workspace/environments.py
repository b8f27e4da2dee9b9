"""The Python environment of a task: its own, never Assay's, built once and mounted read-only."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from packaging.specifiers import SpecifierSet

from assay.cache import cache_folder, locked
from assay.errors import EnvironmentFailed


def build_environment(requirements: Sequence[str], python: str = ">=3.11") -> Path:
    """A virtual environment with exactly these requirements, from the cache or built now."""
    interpreter = _interpreter(python)
    recipe = json.dumps([sorted(requirements), interpreter, list(sys.version_info[:3])])
    folder = cache_folder("environments") / hashlib.sha256(recipe.encode()).hexdigest()[:32]
    complete = folder / ".complete"
    if complete.is_file():
        return folder
    with locked(folder.with_suffix(".lock")):
        if complete.is_file():
            return folder
        shutil.rmtree(folder, ignore_errors=True)
        _uv(["venv", "-q", "--no-config", "--python", interpreter, str(folder)], requirements)
        if requirements:
            target = ["--python", str(folder / "bin" / "python")]
            _uv(
                ["pip", "install", "-q", "--compile-bytecode", "--link-mode", "copy", *target, *requirements],
                requirements,
            )
        complete.write_text(recipe)
    return folder


def _interpreter(python: str) -> str:
    """The base Python that Assay itself stands on if it fits, else what uv finds."""
    version = ".".join(map(str, sys.version_info[:3]))
    if SpecifierSet(python).contains(version):
        return str(getattr(sys, "_base_executable", sys.executable))
    return python


def _uv(arguments: list[str], requirements: Sequence[str]) -> None:
    from uv import find_uv_bin

    inherited = {key: value for key, value in os.environ.items() if key != "VIRTUAL_ENV"}
    if "PIP_FIND_LINKS" in inherited:
        # Whoever has told pip of a folder of wheels means it for every installer.
        inherited.setdefault("UV_FIND_LINKS", ",".join(inherited["PIP_FIND_LINKS"].split()))
    done = subprocess.run([find_uv_bin(), *arguments], capture_output=True, text=True, env=inherited)
    if done.returncode != 0:
        wanted = " ".join(requirements) or "no requirements"
        raise EnvironmentFailed(
            f"no environment for {wanted}: {done.stderr.strip()[-600:]}",
            hint="is the package index reachable? UV_DEFAULT_INDEX or UV_FIND_LINKS name another",
        )
