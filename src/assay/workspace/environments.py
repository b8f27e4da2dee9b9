"""The Python environment of a task: its own, never Assay's, built once and mounted read-only."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import sys
import tempfile
from collections.abc import Sequence
from datetime import date
from pathlib import Path

from packaging.specifiers import InvalidSpecifier, SpecifierSet

from assay.cache import cache_folder, locked
from assay.errors import EnvironmentFailed
from assay.tasks.lock import EnvironmentLock
from assay.workspace.uv import interpreters, run_uv

_HEAD, _TAIL = 400, 1200
"""Characters of uv's message that are kept: it names the culprit first and the reason last."""


def build_environment(
    requirements: Sequence[str],
    python: str = ">=3.11",
    *,
    before: date | None = None,
    build_constraints: Sequence[str] = (),
) -> Path:
    """A virtual environment with exactly these requirements, from the cache or built now.

    `python` is a version (3.10) or a specifier (>=3.11). `before` and `build_constraints` hold for what a
    build from source takes to build itself.
    """
    interpreter = _interpreter(python)
    parts: list[object] = [sorted(requirements), interpreter, list(sys.version_info[:3])]
    if before or build_constraints:
        parts += [str(before), sorted(build_constraints)]
    recipe = json.dumps(parts)
    folder = cache_folder("environments") / hashlib.sha256(recipe.encode()).hexdigest()[:32]
    complete = folder / ".complete"
    if complete.is_file():
        return folder
    with locked(folder.with_suffix(".lock")):
        if complete.is_file():
            return folder
        shutil.rmtree(folder, ignore_errors=True)
        try:
            _uv(["venv", "-q", "--no-config", "--python", interpreter, str(folder)], requirements)
            if requirements:
                _install(folder, requirements, before, build_constraints)
            complete.write_text(recipe)
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise
    return folder


def locked_environment(lock: EnvironmentLock) -> Path:
    """The environment that a lock stands for."""
    return build_environment(
        lock.requirements,
        lock.python,
        before=lock.before if lock.sdists else None,
        build_constraints=lock.build_constraints,
    )


def _install(
    folder: Path, requirements: Sequence[str], before: date | None, build_constraints: Sequence[str]
) -> None:
    arguments = ["pip", "install", "-q", "--compile-bytecode", "--link-mode", "copy"]
    arguments += ["--python", str(folder / "bin" / "python")]
    if before:
        arguments += ["--exclude-newer", before.isoformat()]
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
        if build_constraints:
            file.write("\n".join(build_constraints))
            file.flush()
            arguments += ["--build-constraints", file.name]
        _uv([*arguments, *requirements], requirements)


def _interpreter(python: str) -> str:
    """The base Python that Assay itself stands on if it fits, else the newest here, else what uv can get."""
    plain = re.fullmatch(r"\d+\.\d+(\.\d+)?", python.strip())
    try:
        specifier = SpecifierSet(python if not plain else f"=={python}" + ("" if plain.group(1) else ".*"))
    except InvalidSpecifier:
        raise EnvironmentFailed(
            f"{python!r} is no Python, expected a version (3.10) or a specifier (>=3.11,<3.13)"
        ) from None
    if specifier.contains(".".join(map(str, sys.version_info[:3]))):
        return str(getattr(sys, "_base_executable", sys.executable))
    fitting = [each for each in interpreters().values() if specifier.contains(each.version)]
    return str(fitting[-1].program) if fitting else python


def _uv(arguments: list[str], requirements: Sequence[str]) -> None:
    done = run_uv(arguments)
    if done.returncode != 0:
        wanted = " ".join(requirements) or "no requirements"
        said = done.stderr.strip()
        if len(said) > _HEAD + _TAIL:
            said = f"{said[:_HEAD]} … {said[-_TAIL:]}"
        raise EnvironmentFailed(
            f"no environment for {wanted}: {said}",
            hint="is the package index reachable? UV_DEFAULT_INDEX or UV_FIND_LINKS name another",
        )
