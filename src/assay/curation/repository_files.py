"""The repository at its pinned commit: all files in memory, with name, commit, day and hash."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from assay.benchmarks.cloning import clone
from assay.errors import CurationRefused, UsageError
from assay.sandbox.host.scratch import temporary_folder
from assay.workspace.building.source import open_repository

MAX_BYTES = 200_000_000


@dataclass(frozen=True)
class PinnedRepository:
    """All files of a repository at one commit."""

    name: str
    folder: Path
    """A folder with the files; only while the repository is open."""
    commit: str | None
    committed: date | None
    digest: str
    files: dict[str, bytes]
    notes: tuple[str, ...]


@contextmanager
def open_pinned(repository: str, commit: str | None) -> Iterator[PinnedRepository]:
    """Open a folder, a git repository at a commit, or an address with a commit."""
    if not _is_address(repository):
        with _open_folder(Path(repository), commit) as pinned:
            yield pinned
        return
    address, _, named_commit = repository.partition("@") if "://" in repository else (repository, "", "")
    revision = commit or named_commit
    if not revision:
        raise UsageError(
            f"{repository} is an address without a commit, so its contents could change",
            hint="add --commit COMMIT",
        )
    with temporary_folder("curate") as folder:
        clone(address, revision, folder)
        with _open_folder(folder, revision) as pinned:
            yield pinned


def _is_address(repository: str) -> bool:
    return "://" in repository or repository.startswith("git@")


@contextmanager
def _open_folder(folder: Path, commit: str | None) -> Iterator[PinnedRepository]:
    with open_repository(folder, commit) as source:
        size = sum((source.folder / path).stat().st_size for path in source.paths)
        if size > MAX_BYTES:
            raise CurationRefused(
                f"{source.name} has {size // 1_000_000} MB of files, and a task's workspace has at most "
                f"{MAX_BYTES // 1_000_000} MB",
                hint="copy the part that the experiments need, and name that folder",
            )
        files = {path: (source.folder / path).read_bytes() for path in source.paths}
        yield PinnedRepository(
            source.name, source.folder, source.commit, source.committed, source.digest, files, source.notes
        )
