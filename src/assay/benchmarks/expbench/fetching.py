"""Brings EXP-Bench's task files, and the repositories that its tasks stand on, into the user's cache.

The folder's licence is MIT, its paper says CC-BY-4.0, and the repositories have licences of their own or
none: so none of their texts ship with Assay, only the commits at which they are pinned.
"""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pydantic import ValidationError

from assay.benchmarks.cloning import clone, fetch_commit, is_repository, local_folder, read_commit
from assay.benchmarks.expbench.papers import COMMIT, UPSTREAM, Pin, pin_of
from assay.benchmarks.expbench.records import find_root, task_files
from assay.cache import cache_folder, locked
from assay.errors import TaskError, UsageError
from assay.tasks.files import read_tree, write_tree
from assay.tasks.lock import EnvironmentLock
from assay.tasks.metric import Strict
from assay.tasks.model import explain

NAME = "expbench"
ORIGIN = "origin.json"


class Origin(Strict):
    """Where a cached copy came from."""

    address: str
    commit: str | None
    """None for a plain folder, which pins nothing."""
    left_out: list[str] = []
    """What of a repository is no plain file: links that lead out of it, submodules."""


def home() -> Path:
    """The folder of the cache that holds the task files."""
    return cache_folder(NAME) / "upstream"


def fetched() -> Origin | None:
    """Where the cached task files came from, or None where there are none."""
    return _origin(home() / ORIGIN)


def require() -> Path:
    """The cached task files; an error that says how to get them where they are missing."""
    if fetched() is None:
        raise UsageError(
            "EXP-Bench is not here", hint="`assay fetch expbench` brings it; --source takes a copy"
        )
    return home()


def fetch(source: str | None = None, commit: str | None = None) -> Origin:
    """Put the task files into the cache, in place of older ones: from a commit of a clone, or a folder."""
    address = source or UPSTREAM
    place = local_folder(address)
    with locked(home().with_suffix(".lock")), _scratch() as scratch:
        if place is not None and not is_repository(place):
            if commit is not None:
                raise UsageError(f"{place} is no git repository, so it has no commit {commit}")
            root, origin = find_root(place), Origin(address=str(place), commit=None)
        else:
            wanted = commit or COMMIT
            clone(str(place or address), wanted, scratch)
            root, origin = find_root(scratch), Origin(address=address, commit=wanted)
        partial = scratch / ".taken"
        for path in [*task_files(root), *root.glob("logs/*/*.json"), *root.glob("LICENSE")]:
            target = partial / path.relative_to(root)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target)
        _replace(home(), partial, origin)
    return origin


def fetch_repository(name: str, source: str | None = None, commit: str | None = None) -> Origin:
    """Put a paper's repository into the cache at its pin: from its own address, or another copy."""
    pin = pin_of(name)
    wanted = commit or pin.commit
    if wanted is None:
        raise UsageError(
            f"no commit of {pin.repository} is known, so {pin.name} cannot be pinned",
            hint="name one with --commit",
        )
    address = source or pin.repository
    place = local_folder(address)
    if place is not None and not is_repository(place):
        raise UsageError(
            f"{place} is no git repository, so it cannot be checked out at {wanted[:12]}",
            hint="name a clone or a bare mirror",
        )
    target = repository_folder(pin)
    with locked(target.with_suffix(".lock")), _scratch() as scratch:
        if place is None:
            fetch_commit(address, wanted, scratch)
        files, left_out = read_commit(place or scratch, wanted, address)
        partial = scratch / ".taken"
        write_tree(files, partial / "files")
        origin = Origin(address=address, commit=wanted, left_out=left_out)
        _replace(target, partial, origin)
    return origin


def repository_folder(pin: Pin) -> Path:
    """Where a paper's repository is kept, whether it is there or not."""
    folder = cache_folder(NAME) / "repositories"
    folder.mkdir(exist_ok=True)
    return folder / pin.slug


def repository_origin(pin: Pin) -> Origin | None:
    """Where a paper's cached repository came from, or None where it is not here."""
    return _origin(repository_folder(pin) / ORIGIN)


def repository_files(pin: Pin) -> Path:
    """The folder of a paper's repository at its pin; an error that says how to get it where it is missing."""
    if repository_origin(pin) is None:
        raise TaskError(
            pin.name,
            f"the repository {pin.repository} is not here",
            hint=f"`assay fetch expbench --paper {pin.name}` clones it; {pin.name}=FOLDER takes a copy",
        )
    return repository_folder(pin) / "files"


def read_repository(pin: Pin) -> dict[str, bytes]:
    """The files of a paper's repository at its pin."""
    return read_tree(repository_files(pin), pin.name)


def lock_file(pin: Pin) -> Path:
    """Where the lock of a paper's environment is looked for."""
    folder = cache_folder(NAME) / "locks"
    folder.mkdir(exist_ok=True)
    return folder / f"{pin.slug}.json"


def environment_command(pin: Pin) -> str:
    """What builds a paper's environment, and puts its lock where it is looked for."""
    return f"assay env build --paper {pin.name}"


def read_lock(pin: Pin) -> EnvironmentLock | None:
    """The lock of a paper's environment, where one was built."""
    path = lock_file(pin)
    if not path.is_file():
        return None
    try:
        return EnvironmentLock.model_validate_json(path.read_bytes())
    except ValidationError as error:
        raise TaskError(str(path), explain(error), hint="build it again with `assay env build`") from None


def state() -> tuple[tuple[str, int], ...]:
    """What the cache holds, by the times at which it was put there."""
    room = cache_folder(NAME)
    records = [*room.glob(f"*/{ORIGIN}"), *room.glob(f"repositories/*/{ORIGIN}"), *room.glob("locks/*.json")]
    return tuple(sorted((str(path), path.stat().st_mtime_ns) for path in records))


def _origin(record: Path) -> Origin | None:
    return Origin.model_validate_json(record.read_bytes()) if record.is_file() else None


def _replace(target: Path, partial: Path, origin: Origin) -> None:
    partial.mkdir(exist_ok=True)
    (partial / ORIGIN).write_text(json.dumps(origin.model_dump(), indent=2) + "\n")
    if target.exists():
        shutil.rmtree(target)
    partial.rename(target)


@contextmanager
def _scratch() -> Iterator[Path]:
    """A folder beside the copies, so that a copy becomes one of them by a rename."""
    with tempfile.TemporaryDirectory(prefix=".partial-", dir=cache_folder(NAME)) as folder:
        yield Path(folder)
