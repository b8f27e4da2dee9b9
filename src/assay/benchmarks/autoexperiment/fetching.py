"""Fetches the rows and source trees of AutoExperiment into the user's cache, at a pinned commit.

The repository has no licence, so Assay ships no part of it.
"""

from __future__ import annotations

import json
from pathlib import Path

from assay.benchmarks.autoexperiment.papers import papers
from assay.benchmarks.autoexperiment.rows import find_root
from assay.benchmarks.cloning import clone, is_repository, local_folder
from assay.benchmarks.source_folders import copy_folder, read_folder
from assay.cache import cache_folder, locked
from assay.errors import UsageError
from assay.files import publishing
from assay.tasks.metric import Strict

ORIGIN = "origin.json"
UPSTREAM = "upstream"


class CopyOrigin(Strict):
    """Where the cached copy came from."""

    address: str
    commit: str | None
    """None for a plain folder, which has no commit."""


def home() -> Path:
    """Return the cache folder of the copy."""
    return cache_folder("autoexperiment") / UPSTREAM


def fetched() -> CopyOrigin | None:
    """Return where the cached copy came from; None if there is no copy."""
    record = home() / ORIGIN
    return CopyOrigin.model_validate_json(record.read_bytes()) if record.is_file() else None


def require() -> Path:
    """Return the folder of the cached copy; raise an error that says how to get it if it is missing."""
    if fetched() is None:
        raise UsageError(
            "AutoExperiment is not fetched",
            hint="`assay fetch autoexperiment` fetches it; --source uses a local copy",
        )
    return home()


def fetch(source: str | None = None, commit: str | None = None) -> CopyOrigin:
    """Put a copy into the cache and replace an older one: a clone at a commit, or a plain folder's files."""
    table = papers()
    address = source or table.repository
    place = local_folder(address)
    with locked(home().with_suffix(".lock")), publishing(home()) as partial:
        partial.mkdir()
        if place is not None and not is_repository(place):
            if commit is not None:
                raise UsageError(f"{place} is not a git repository, so it has no commit {commit}")
            copy_folder(find_root(place), partial)
            origin = CopyOrigin(address=str(place), commit=None)
        else:
            revision = commit or table.commit
            clone(str(place or address), revision, partial)
            origin = CopyOrigin(address=address, commit=revision)
        find_root(partial)
        (partial / ORIGIN).write_text(json.dumps(origin.model_dump(), indent=2) + "\n")
    return origin


def add_tree(paper: str, folder: Path) -> None:
    """Copy a paper's source tree from a folder into the cached copy; links in it are refused."""
    target = find_root(require()) / paper
    if not target.is_dir():
        paper_ids = sorted(
            subfolder.name
            for subfolder in target.parent.iterdir()
            if subfolder.is_dir() and subfolder.name[0].isdigit()
        )
        raise UsageError(f"AutoExperiment has no paper {paper!r}", hint=f"papers: {', '.join(paper_ids)}")
    if not folder.is_dir():
        raise UsageError(f"there is no folder {str(folder)!r}")
    with publishing(target / "code") as partial:
        copy_folder(folder, partial, ".git", "__pycache__")
        read_folder(partial, partial.parent, str(folder))
