"""Builds environments for repositories without a model: discovers, resolves, repairs, verifies, locks.

`build` reads a repository, resolves its declared and imported packages as of the day of its commit, applies
named repairs, installs, tries the rungs C0 to C3 in the sandbox, and caches the lock by content.

A build from source runs its distribution's own code, in a sandbox that reaches only the package index; Assay
builds only distributions that have no wheel, and lists them in the lock.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from typing import get_args

from assay.cache import cache_folder, locked
from assay.errors import UsageError
from assay.files import publish
from assay.sandbox.gpu.devices import gpu_numbers
from assay.tasks.lock import EnvironmentLock, Rung
from assay.workspace.building.build_loop import BuildLoop, BuildResult
from assay.workspace.building.ladder import try_cuda, try_smoke
from assay.workspace.building.repairs import REPAIRS
from assay.workspace.building.repository_needs import RepositoryNeeds, read_needs
from assay.workspace.building.source import RepositorySource, open_repository
from assay.workspace.building.task_path import TaskPath
from assay.workspace.environments import locked_environment
from assay.workspace.uv import installed_pythons

__all__ = ["REPAIRS", "BuildRequest", "BuiltEnvironment", "TaskPath", "build", "read_lock", "write_lock"]

_FORMAT_VERSION = 2
"""Increased when the build process changes, so that older locks are built again."""


@dataclass(frozen=True)
class BuildRequest:
    """The repository and options of one build."""

    repository: Path
    commit: str | None = None
    before: date | None = None
    """The cut-off date; None for the day of the commit, else today."""
    python: str | None = None
    smoke: str | None = None
    seconds: float = 600.0
    """Time limit of the smoke run."""
    install: bool = True
    """True to install and verify, False only to resolve."""
    gpu: bool | None = None
    """True to install packages for CUDA, gigabytes in all; None: only if this machine has a GPU."""
    task_path: TaskPath | None = None
    """What the tasks start; None: every import of the repository must work."""

    @property
    def cuda(self) -> bool:
        """The value of `gpu`, or whether this machine has a GPU."""
        return bool(gpu_numbers()) if self.gpu is None else self.gpu


@dataclass(frozen=True)
class BuiltEnvironment:
    """A lock and its environment; without installation the environment is None."""

    lock: EnvironmentLock
    environment: Path | None
    was_cached: bool
    """True if the lock came from the cache."""


def build(request: BuildRequest, report: Callable[[str], None] = lambda line: None) -> BuiltEnvironment:
    """Return the environment of a repository, cached or built now; `report` gets a line for each step."""
    with open_repository(request.repository, request.commit) as source:
        before = request.before or source.committed or datetime.now(UTC).date()
        key = _key(request, source, before)
        lock, was_cached = _cached_lock(key, lambda: _make_lock(request, source, before, report))
        was_installed = any(rung.status != "unknown" for rung in lock.ladder.values())
        environment = locked_environment(lock) if was_installed else None
        if request.smoke is not None and environment is not None:
            smoke = json.dumps([request.smoke, request.seconds])
            smoke_key = hashlib.sha256(f"{key}{smoke}".encode()).hexdigest()[:32]
            smoke_lock, smoke_was_cached = _cached_lock(
                smoke_key, lambda: _with_smoke_run(request, source, lock, environment, report)
            )
            lock, was_cached = smoke_lock, was_cached and smoke_was_cached
        lock = lock.model_copy(update={"repository": source.name, "commit": source.commit})
        return BuiltEnvironment(lock, environment, was_cached)


def _cached_lock(key: str, make: Callable[[], EnvironmentLock]) -> tuple[EnvironmentLock, bool]:
    """Return a cached lock and True, or a new one and False; one process at a time creates it."""
    file = cache_folder("locks") / f"{key}.json"
    with locked(file.with_suffix(".lock")):
        if file.is_file():
            return read_lock(file), True
        lock = make()
        write_lock(lock, file)
        return lock, False


def read_lock(file: Path) -> EnvironmentLock:
    """Read a lock file."""
    from pydantic import ValidationError

    try:
        return EnvironmentLock.model_validate_json(file.read_bytes())
    except OSError as problem:
        raise UsageError(f"{file}: {problem.strerror}", hint="`assay env build REPO --out FILE`") from None
    except ValidationError as problem:
        first = problem.errors()[0]
        field_path = ".".join(map(str, first["loc"])) or "the whole file"
        raise UsageError(
            f"{file} is no environment lock: {field_path}: {first['msg']}",
            hint="create one with `assay env build`",
        ) from None


def write_lock(lock: EnvironmentLock, file: Path) -> None:
    """Write a lock completely or not at all."""
    publish(file, lock.model_dump_json(indent=2) + "\n")


def _make_lock(
    request: BuildRequest, source: RepositorySource, before: date, report: Callable[[str], None]
) -> EnvironmentLock:
    needs = read_needs(source, before, list(installed_pythons()), request.python, request.task_path)
    report(f"Python {needs.plan.python}: {needs.python_reason}")
    result = BuildLoop(source, needs, request.install, request.cuda, report).run()
    lock = _as_lock(source, needs, result)
    if result.environment is None:
        return lock.model_copy(update={"ladder": dict.fromkeys(get_args(Rung), result.imports)})
    environment, code = result.environment, source.folder
    ladder = {"C0": result.imports, "C1": try_smoke(environment, code, None)}
    ladder |= {"C2": try_cuda(environment, code, step=False), "C3": try_cuda(environment, code, step=True)}
    return lock.model_copy(update={"ladder": ladder})


def _with_smoke_run(
    request: BuildRequest,
    source: RepositorySource,
    lock: EnvironmentLock,
    environment: Path,
    report: Callable[[str], None],
) -> EnvironmentLock:
    report(f"running `{request.smoke}` in the sandbox")
    smoke_rung = try_smoke(environment, source.folder, request.smoke, request.seconds)
    return lock.model_copy(update={"ladder": {**lock.ladder, "C1": smoke_rung}})


def _as_lock(source: RepositorySource, needs: RepositoryNeeds, result: BuildResult) -> EnvironmentLock:
    plan = result.plan
    built_sdists = sorted(plan.sdists & {pin.partition("==")[0] for pin in result.pins})
    python_changed = plan.python != needs.plan.python
    return EnvironmentLock(
        repository=source.name,
        commit=source.commit,
        digest=source.digest,
        python=plan.python,
        python_reason="by a repair" if python_changed else needs.python_reason,
        platform=f"{sys.platform}-{platform.machine()}",
        requirements=result.pins,
        before=plan.before,
        sdists=built_sdists,
        build_constraints=list(plan.build_constraints) if built_sdists else [],
        repairs=list(result.repairs),
        notes=list(needs.notes),
    )


def _key(request: BuildRequest, source: RepositorySource, before: date) -> str:
    """Return the cache key of a lock: contents, cut-off date, Python, options, and package indexes."""
    prefixes = ("UV_", "PIP_FIND_LINKS")
    indexes = {name: value for name, value in sorted(os.environ.items()) if name.startswith(prefixes)}
    parts = [
        *(_FORMAT_VERSION, source.digest, before.isoformat(), request.python, request.install, request.cuda),
        *(sys.platform, platform.machine(), list(installed_pythons()), indexes),
        asdict(request.task_path) if request.task_path else None,
    ]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:32]
