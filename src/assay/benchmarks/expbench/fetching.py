"""Fetches EXP-Bench's task files, and the repositories that its tasks use, into the user's cache.

The folder's licence is MIT, its paper says CC-BY-4.0, and the repositories have their own licences or none.
So Assay ships none of their texts, only the commits at which they are pinned.
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
from assay.benchmarks.source_folders import read_file
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
    """None for a plain folder, which has no commit."""
    left_out: list[str] = []
    """What is not a plain file of the repository: links to places outside it, submodules."""


def home() -> Path:
    """Return the cache folder of the task files."""
    return cache_folder(NAME) / "upstream"


def fetched() -> Origin | None:
    """Return where the cached task files came from; None if there are none."""
    return _origin(home() / ORIGIN)


def require() -> Path:
    """Return the folder of the cached task files; raise an error that says how to get them if missing."""
    if fetched() is None:
        raise UsageError(
            "EXP-Bench is not fetched", hint="`assay fetch expbench` fetches it; --source uses a local copy"
        )
    return home()


def fetch(source: str | None = None, commit: str | None = None) -> Origin:
    """Put the task files into the cache and replace older ones: from a commit of a clone, or a folder."""
    address = source or UPSTREAM
    place = local_folder(address)
    with locked(home().with_suffix(".lock")), _scratch() as scratch:
        if place is not None and not is_repository(place):
            if commit is not None:
                raise UsageError(f"{place} is not a git repository, so it has no commit {commit}")
            root, origin = find_root(place), Origin(address=str(place), commit=None)
        else:
            revision = commit or COMMIT
            clone(str(place or address), revision, scratch)
            root, origin = find_root(scratch), Origin(address=address, commit=revision)
        partial = scratch / ".taken"
        for path in [*task_files(root), *root.glob("logs/*/*.json"), *root.glob("LICENSE")]:
            target = partial / path.relative_to(root)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(read_file(path, root))
        _replace(home(), partial, origin)
    return origin


def fetch_repository(name: str, source: str | None = None, commit: str | None = None) -> Origin:
    """Put a paper's repository into the cache at its pin: from its own address, or from another copy."""
    pin = pin_of(name)
    revision = commit or pin.commit
    if revision is None:
        raise UsageError(
            f"no commit of {pin.repository} is known, so {pin.name} cannot be pinned",
            hint="name one with --commit",
        )
    address = source or pin.repository
    place = local_folder(address)
    if place is not None and not is_repository(place):
        raise UsageError(
            f"{place} is not a git repository, so it cannot be checked out at {revision[:12]}",
            hint="name a clone or a bare mirror",
        )
    target = repository_folder(pin)
    with locked(target.with_suffix(".lock")), _scratch() as scratch:
        if place is None:
            fetch_commit(address, revision, scratch)
        files, left_out = read_commit(place or scratch, revision, address)
        partial = scratch / ".taken"
        write_tree(files, partial / "files")
        origin = Origin(address=address, commit=revision, left_out=left_out)
        _replace(target, partial, origin)
    return origin


def repository_folder(pin: Pin) -> Path:
    """Return the folder for a paper's repository, whether it exists or not."""
    folder = cache_folder(NAME) / "repositories"
    folder.mkdir(exist_ok=True)
    return folder / pin.slug


def repository_origin(pin: Pin) -> Origin | None:
    """Return where a paper's cached repository came from; None if it is not fetched."""
    return _origin(repository_folder(pin) / ORIGIN)


def repository_files(pin: Pin) -> Path:
    """Return the folder of a paper's repository at its pin; raise an error that says how to get it."""
    if repository_origin(pin) is None:
        raise TaskError(
            pin.name,
            f"the repository {pin.repository} is not fetched",
            hint=f"`assay fetch expbench --paper {pin.name}` clones it; {pin.name}=FOLDER uses a local copy",
        )
    return repository_folder(pin) / "files"


def read_repository(pin: Pin) -> dict[str, bytes]:
    """Read the files of a paper's repository at its pin."""
    return read_tree(repository_files(pin), pin.name)


def lock_file(pin: Pin) -> Path:
    """Return the path of the lock of a paper's environment, whether it exists or not."""
    folder = cache_folder(NAME) / "locks"
    folder.mkdir(exist_ok=True)
    return folder / f"{pin.slug}.json"


def environment_command(pin: Pin) -> str:
    """Return the command that builds a paper's environment and writes its lock."""
    return f"assay env build --paper {pin.name}"


def read_lock(pin: Pin) -> EnvironmentLock | None:
    """Read the lock of a paper's environment; None if none was built."""
    path = lock_file(pin)
    if not path.is_file():
        return None
    try:
        return EnvironmentLock.model_validate_json(path.read_bytes())
    except ValidationError as error:
        raise TaskError(str(path), explain(error), hint="build it again with `assay env build`") from None


def state() -> tuple[tuple[str, int], ...]:
    """Return the files that identify the cache's contents, with the times at which they were written."""
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
    """Give a temporary folder on the same disk as the cache, so that a rename moves a copy into place."""
    with tempfile.TemporaryDirectory(prefix=".partial-", dir=cache_folder(NAME)) as folder:
        yield Path(folder)
