"""Environments for repositories, made without a model: discovered, resolved, repaired, verified, locked.

`build` reads a repository, resolves what it declares and imports as of the day of its commit, mends by
named repairs, installs, climbs the ladder C0 to C3 in the sandbox, and keeps the lock by content.

A build from source runs its distribution's own code, in a sandbox that reaches the package index alone; it
is done only for distributions that have no wheel, and is listed in the lock.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import sys
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from typing import get_args

from assay.cache import cache_folder, locked
from assay.errors import UsageError
from assay.files import publish
from assay.sandbox.gpu.devices import gpu_numbers
from assay.tasks.lock import EnvironmentLock, Rung
from assay.workspace.building.conducting import Conductor, Standing
from assay.workspace.building.ladder import try_cuda, try_smoke
from assay.workspace.building.repairs import REPAIRS
from assay.workspace.building.source import Source, opened
from assay.workspace.building.wanted import Wanted, read_wanted
from assay.workspace.environments import locked_environment
from assay.workspace.uv import interpreters

__all__ = ["REPAIRS", "Built", "Request", "build", "read_lock", "write_lock"]

_EDITION = 1
"""Raised when the way of building changes, so that locks of an older way are made again."""


@dataclass(frozen=True)
class Request:
    """What is to be built."""

    repository: Path
    commit: str | None = None
    before: date | None = None
    """The cut-off; else the day of the commit, else today."""
    python: str | None = None
    smoke: str | None = None
    seconds: float = 600.0
    """The limit on the smoke run."""
    install: bool = True
    """Whether to install and verify, or only to resolve."""
    gpu: bool | None = None
    """Whether builds for CUDA, gigabytes in all, are installed; None: where this machine has a GPU."""

    @property
    def cuda(self) -> bool:
        """The choice, once the machine was looked at."""
        return bool(gpu_numbers()) if self.gpu is None else self.gpu


@dataclass(frozen=True)
class Built:
    """A lock and, where something was installed, its environment."""

    lock: EnvironmentLock
    environment: Path | None
    cached: bool
    """Whether the lock was there already and no work was done."""


def build(request: Request, tell: Callable[[str], None] = lambda line: None) -> Built:
    """The environment of a repository, from the cache or made now; `tell` hears of each step."""
    with opened(request.repository, request.commit) as source:
        before = request.before or source.committed or datetime.now(UTC).date()
        key = _key(request, source, before)
        lock, known = _kept(key, lambda: _make(request, source, before, tell))
        tried = any(each.status != "unknown" for each in lock.ladder.values())
        environment = locked_environment(lock) if tried else None
        if request.smoke is not None and environment is not None:
            smoke = json.dumps([request.smoke, request.seconds])
            smoke_key = hashlib.sha256(f"{key}{smoke}".encode()).hexdigest()[:32]
            whole, also = _kept(smoke_key, lambda: _smoked(request, source, lock, environment, tell))
            lock, known = whole, known and also
        lock = lock.model_copy(update={"repository": source.name, "commit": source.commit})
        return Built(lock, environment, known)


def _kept(key: str, make: Callable[[], EnvironmentLock]) -> tuple[EnvironmentLock, bool]:
    """A lock of the cache and True, or one made now, by one process at a time, and False."""
    file = cache_folder("locks") / f"{key}.json"
    with locked(file.with_suffix(".lock")):
        if file.is_file():
            return read_lock(file), True
        lock = make()
        write_lock(lock, file)
        return lock, False


def read_lock(file: Path) -> EnvironmentLock:
    """A lock from its file."""
    from pydantic import ValidationError

    try:
        return EnvironmentLock.model_validate_json(file.read_bytes())
    except OSError as problem:
        raise UsageError(f"{file}: {problem.strerror}", hint="`assay env build REPO --out FILE`") from None
    except ValidationError as problem:
        first = problem.errors()[0]
        place = ".".join(map(str, first["loc"])) or "the whole"
        raise UsageError(
            f"{file} is no lock of an environment: {place}: {first['msg']}",
            hint="`assay env build` writes one",
        ) from None


def write_lock(lock: EnvironmentLock, file: Path) -> None:
    """Write a lock whole or not at all."""
    publish(file, lock.model_dump_json(indent=2) + "\n")


def _make(request: Request, source: Source, before: date, tell: Callable[[str], None]) -> EnvironmentLock:
    wanted = read_wanted(source, before, list(interpreters()), request.python)
    tell(f"Python {wanted.plan.python}: {wanted.python_reason}")
    standing = Conductor(source, wanted, request.install, request.cuda, tell).conduct()
    lock = _lock(source, wanted, standing)
    if standing.environment is None:
        return lock.model_copy(update={"ladder": dict.fromkeys(get_args(Rung), standing.imports)})
    place, code = standing.environment, source.folder
    ladder = {"C0": standing.imports, "C1": try_smoke(place, code, None)}
    ladder |= {"C2": try_cuda(place, code, step=False), "C3": try_cuda(place, code, step=True)}
    return lock.model_copy(update={"ladder": ladder})


def _smoked(
    request: Request, source: Source, lock: EnvironmentLock, environment: Path, tell: Callable[[str], None]
) -> EnvironmentLock:
    tell(f"running `{request.smoke}` in the sandbox")
    reached = try_smoke(environment, source.folder, request.smoke, request.seconds)
    return lock.model_copy(update={"ladder": {**lock.ladder, "C1": reached}})


def _lock(source: Source, wanted: Wanted, standing: Standing) -> EnvironmentLock:
    plan = standing.plan
    built = sorted(plan.sdists & {pin.partition("==")[0] for pin in standing.pins})
    moved = plan.python != wanted.plan.python
    return EnvironmentLock(
        repository=source.name,
        commit=source.commit,
        digest=source.digest,
        python=plan.python,
        python_reason="by the repair other-python" if moved else wanted.python_reason,
        platform=f"{sys.platform}-{platform.machine()}",
        requirements=standing.pins,
        before=plan.before,
        sdists=built,
        build_constraints=list(plan.build_constraints) if built else [],
        repairs=list(standing.repairs),
        notes=list(wanted.notes),
    )


def _key(request: Request, source: Source, before: date) -> str:
    """What a lock hangs on: contents, cut-off, Python, what is to be tried, and where packages come from."""
    places = ("UV_", "PIP_FIND_LINKS")
    indexes = {name: value for name, value in sorted(os.environ.items()) if name.startswith(places)}
    parts = [
        *(_EDITION, source.digest, before.isoformat(), request.python, request.install, request.cuda),
        *(sys.platform, platform.machine(), list(interpreters()), indexes),
    ]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:32]
