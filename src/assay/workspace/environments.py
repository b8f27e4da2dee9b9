"""The Python environment of a task: its own, never Assay's, built once and mounted read-only."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from datetime import date
from pathlib import Path

from packaging.specifiers import InvalidSpecifier, SpecifierSet

from assay.cache import cache_folder, locked
from assay.errors import EnvironmentFailed
from assay.tasks.lock import EnvironmentLock
from assay.tasks.requirements import TRUST, check_requirements, name_of, trusted
from assay.workspace.built import expect_tidy, links_of
from assay.workspace.uv import interpreters, run_uv, run_uv_inside

_WANTS_A_BUILD = re.compile(r"usable wheels|building from source|source distribution|no-build|only-binary")
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
    try:
        check_requirements(requirements)
    except ValueError as problem:
        raise EnvironmentFailed(str(problem)) from None
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
            venv = ["venv", "-q", "--no-config", "--python", interpreter, str(folder)]
            _expect(run_uv(venv), requirements)
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
    """Wheels on this machine; where that does not do, everything in a sandbox, builds from source and all."""
    python = folder / "bin" / "python"
    base = python.resolve()
    arguments = ["pip", "install", "-q", "--link-mode", "copy", "--python", str(python)]
    if before:
        arguments += ["--exclude-newer", before.isoformat()]
    with tempfile.TemporaryDirectory() as place:
        if build_constraints:
            file = Path(place) / "build-constraints.txt"
            file.write_text("\n".join(build_constraints))
            arguments += ["--build-constraints", str(file)]
        if trusted():
            _expect(run_uv([*arguments, "--", *requirements]), requirements)
        else:
            wheels = run_uv([*arguments, "--only-binary", ":all:", "--", *requirements])
            if wheels.returncode != 0 and not _WANTS_A_BUILD.search(wheels.stderr):
                _expect(wheels, requirements)
            if wheels.returncode != 0:
                before_it = links_of(folder)
                names = [name_of(each) for each in requirements]
                built = run_uv_inside([*arguments, "--", *requirements], folder, names, [Path(place)])
                _expect(built, requirements)
                expect_tidy(folder, before_it)
    # By the base Python, not the environment's: that would run the .pth files of what was just installed.
    compile_all = [str(base), "-I", "-m", "compileall", "-q", "-j", "0", str(folder / "lib")]
    subprocess.run(compile_all, capture_output=True, env={"LC_ALL": "C.UTF-8"}, check=False)


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


def _expect(done: subprocess.CompletedProcess[str], requirements: Sequence[str]) -> None:
    if done.returncode == 0:
        return
    wanted = " ".join(requirements) or "no requirements"
    said = done.stderr.strip()
    if len(said) > _HEAD + _TAIL:
        said = f"{said[:_HEAD]} … {said[-_TAIL:]}"
    hint = "is the package index reachable? UV_DEFAULT_INDEX or UV_FIND_LINKS name another"
    if "no sandbox to build in" in said:
        hint = (
            f"without a sandbox only wheels are installed; UV_FIND_LINKS names a folder of them, {TRUST}=1 "
        )
        hint += "builds on this machine, as you"
    raise EnvironmentFailed(f"no environment for {wanted}: {said}", hint=hint)
