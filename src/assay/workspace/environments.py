"""Builds the Python environment of a task: separate from Assay's, built once and mounted read-only."""

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
from assay.files import publish
from assay.rules.links import WORKSPACE
from assay.shared_cache import put_shared, take_shared
from assay.tasks.lock import EnvironmentLock
from assay.tasks.requirements import TRUST, check_requirements, name_of, trusted
from assay.workspace.environment_links import check_links, links_of
from assay.workspace.uv import installed_pythons, run_uv, run_uv_inside

_SOURCE_LAYOUT = "assay-source-layout.pth"
_CPU_BUILD = re.compile(r"^torch\w*==[^+]+\+cpu$")
_WANTS_A_BUILD = re.compile(r"usable wheels|building from source|source distribution|no-build|only-binary")
_HEAD, _TAIL = 400, 1200
"""Characters of uv's message that Assay shows: uv names the package first and the reason last."""


def build_environment(
    requirements: Sequence[str],
    python: str = ">=3.11",
    *,
    before: date | None = None,
    build_constraints: Sequence[str] = (),
) -> Path:
    """Return a virtual environment with exactly these requirements, from the cache or built now.

    `python` is a version (3.10) or a specifier (>=3.11). `before` and `build_constraints` apply to the
    packages that a build from source needs.
    """
    try:
        check_requirements(requirements)
    except ValueError as problem:
        raise EnvironmentFailed(str(problem)) from None
    interpreter = _find_interpreter(python)
    # Without the settings of a build: a lock and the task that lists its pins share one environment.
    recipe = json.dumps([sorted(requirements), interpreter, list(sys.version_info[:3])])
    folder = cache_folder("environments") / hashlib.sha256(recipe.encode()).hexdigest()[:32]
    complete = folder / ".complete"
    if complete.is_file():
        return _with_source_layout(folder)
    with locked(folder.with_suffix(".lock")):
        if complete.is_file():
            return _with_source_layout(folder)
        if take_shared("environments", folder.name, folder, is_placed=True) and complete.is_file():
            return _with_source_layout(folder)
        shutil.rmtree(folder, ignore_errors=True)
        try:
            venv = ["venv", "-q", "--no-config", "--python", interpreter, str(folder)]
            _raise_if_failed(run_uv(venv), requirements)
            if requirements:
                _install(folder, requirements, before, build_constraints)
            complete.write_text(recipe)
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise
        put_shared("environments", folder.name, folder, is_placed=True)
    return _with_source_layout(folder)


def _with_source_layout(folder: Path) -> Path:
    """Let Python find the packages of a repository below its folder `src`, as an installation would.

    Python skips the line in a workspace without that folder.
    """
    for packages in folder.glob("lib/python3*/site-packages"):
        file = packages / _SOURCE_LAYOUT
        if not file.is_file():
            publish(file, f"{WORKSPACE}/src\n")
    return folder


def locked_environment(lock: EnvironmentLock) -> Path:
    """Return the environment that a lock describes."""
    return build_environment(
        lock.requirements,
        lock.python,
        before=lock.before if lock.sdists else None,
        build_constraints=lock.build_constraints,
    )


def _install(
    folder: Path, requirements: Sequence[str], before: date | None, build_constraints: Sequence[str]
) -> None:
    """Install wheels on this machine; if wheels are missing, install and build everything in a sandbox."""
    python = folder / "bin" / "python"
    base = python.resolve()
    arguments = ["pip", "install", "-q", "--link-mode", "copy", "--python", str(python)]
    if before:
        arguments += ["--exclude-newer", before.isoformat()]
    with tempfile.TemporaryDirectory(prefix="constraints-", dir=cache_folder("builds")) as folder_path:
        if build_constraints:
            file = Path(folder_path) / "build-constraints.txt"
            file.write_text("\n".join(build_constraints))
            arguments += ["--build-constraints", str(file)]
        arguments += _cpu_index(arguments, requirements)
        if trusted():
            _raise_if_failed(run_uv([*arguments, "--", *requirements]), requirements)
        else:
            wheels = run_uv([*arguments, "--only-binary", ":all:", "--", *requirements])
            if wheels.returncode != 0 and not _WANTS_A_BUILD.search(wheels.stderr):
                _raise_if_failed(wheels, requirements)
            if wheels.returncode != 0:
                links_before = links_of(folder)
                names = [name_of(requirement) for requirement in requirements]
                built = run_uv_inside([*arguments, "--", *requirements], folder, names, [Path(folder_path)])
                _raise_if_failed(built, requirements)
                check_links(folder, links_before)
    # With the base Python: the environment's own would run .pth files of the new packages.
    compile_all = [str(base), "-I", "-m", "compileall", "-q", "-j", "0", str(folder / "lib")]
    subprocess.run(compile_all, capture_output=True, env={"LC_ALL": "C.UTF-8"}, check=False)


def _cpu_index(arguments: Sequence[str], requirements: Sequence[str]) -> list[str]:
    """Return the option for PyTorch's index, if a build for the CPU is in none of the user's indexes."""
    builds = [requirement for requirement in requirements if _CPU_BUILD.match(requirement)]
    if not builds or run_uv([*arguments, "--dry-run", "--no-deps", "--", *builds]).returncode == 0:
        return []
    return ["--torch-backend", "cpu"]


def _find_interpreter(python: str) -> str:
    """Return Assay's own base Python if it fits, else the newest installed one, else let uv find one."""
    plain = re.fullmatch(r"\d+\.\d+(\.\d+)?", python.strip())
    try:
        specifier = SpecifierSet(python if not plain else f"=={python}" + ("" if plain.group(1) else ".*"))
    except InvalidSpecifier:
        raise EnvironmentFailed(
            f"{python!r} is no Python version: expected a version (3.10) or a specifier (>=3.11,<3.13)"
        ) from None
    if specifier.contains(".".join(map(str, sys.version_info[:3]))):
        return str(getattr(sys, "_base_executable", sys.executable))
    fitting = [
        installed for installed in installed_pythons().values() if specifier.contains(installed.version)
    ]
    return str(fitting[-1].program) if fitting else python


def _raise_if_failed(completed: subprocess.CompletedProcess[str], requirements: Sequence[str]) -> None:
    if completed.returncode == 0:
        return
    description = " ".join(requirements) or "no requirements"
    message = completed.stderr.strip()
    if len(message) > _HEAD + _TAIL:
        message = f"{message[:_HEAD]} … {message[-_TAIL:]}"
    hint = "is the package index reachable? set UV_DEFAULT_INDEX or UV_FIND_LINKS to use another"
    if "no sandbox to build in" in message:
        hint = f"without a sandbox Assay installs only wheels: set UV_FIND_LINKS to a folder; {TRUST}=1 "
        hint += "builds on this machine, as your user"
    raise EnvironmentFailed(f"no environment for {description}: {message}", hint=hint)
