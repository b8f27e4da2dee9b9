"""What a workspace hands in: plain files, links inside it as copies of their files, and empty folders.

It is as in an attempt: links are read and never followed, those that leave the workspace do not count, nor
do paths that are too long or no text, and the limits are the same. Caches and Python environments are
skipped.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from assay.exported.bench import open_plain
from assay.rules.handed_in import COUNT_LIMIT, FILE_LIMIT, SKIPPED_NAMES, TOTAL_LIMIT, over_folder_limit
from assay.rules.links import linked_paths
from assay.rules.plain_paths import is_plain

ENVIRONMENT = "pyvenv.cfg"
"""A folder with this file is a Python environment."""


class WorkspaceFiles(NamedTuple):
    """What counts of a workspace, and what is there at all."""

    changed: dict[str, str]
    """Path → the plain file with its contents; both below the workspace."""
    present: frozenset[str]
    """Every plain path that is there, of any kind, within the limits or not."""
    empty_folders: list[str]


class _Entries(NamedTuple):
    sizes: dict[str, int]
    links: dict[str, str]
    folders: list[str]
    present: set[str]


def read_workspace(workspace: Path, pristine: Path, first: Collection[str]) -> WorkspaceFiles:
    """Return what counts of a workspace; over the limits, `first` and files near the top count."""
    entries = _entries(workspace)
    unchanged = {
        path
        for path, size in entries.sizes.items()
        if _size(pristine / path) == size and _contents(workspace, path) == _contents(pristine, path)
    }
    plain = {path: size for path, size in entries.sizes.items() if path not in unchanged}
    chosen, left = _within_limits(plain, pristine, first)
    available = {path: entries.sizes[path] for path in (*chosen, *unchanged)}
    linked = linked_paths(
        entries.links,
        available,
        most_files=COUNT_LIMIT - len(chosen),
        most_bytes=left,
        root=str(workspace.absolute()),
    )
    changed = {path: path for path in chosen}
    linked = {path: source for path, source in linked.items() if is_plain(path)}
    for path, source in linked.items():
        if _size(pristine / path) is None or _contents(pristine, path) != _contents(workspace, source):
            changed[path] = source
    known_paths = {*first, *(path for path in changed if _size(pristine / path) is not None)}
    empty = sorted(set(entries.folders) - folders_above((*entries.present, *changed)))[:COUNT_LIMIT]
    left_out = over_folder_limit((*changed, *empty), known_paths)
    for path in left_out & changed.keys():
        del changed[path]
        linked.pop(path, None)
    empty = [path for path in empty if path not in left_out]
    return WorkspaceFiles(changed, frozenset({*entries.present, *linked}), empty)


def _within_limits(sizes: dict[str, int], pristine: Path, first: Collection[str]) -> tuple[list[str], int]:
    """Return the chosen paths and how many bytes are left."""

    def order(path: str) -> tuple[bool, bool, int, int, str]:
        return path not in first, _size(pristine / path) is None, path.count("/"), sizes[path], path

    chosen: list[str] = []
    left = TOTAL_LIMIT
    for path in sorted(sizes, key=order):
        if sizes[path] <= min(FILE_LIMIT, left) and len(chosen) < COUNT_LIMIT:
            chosen.append(path)
            left -= sizes[path]
    return chosen, left


def _entries(workspace: Path) -> _Entries:
    entries = _Entries({}, {}, [], set())
    waiting = [""]
    while waiting:
        folder = waiting.pop()
        for entry in _scan(workspace / folder):
            path = f"{folder}/{entry.name}" if folder else entry.name
            if entry.name in SKIPPED_NAMES:
                continue
            if not is_plain(path):  # nor is anything below it
                continue
            entries.present.add(path)
            if entry.is_symlink():
                entries.links[path] = str(Path(entry.path).readlink())
            elif entry.is_dir(follow_symlinks=False):
                if not os.path.lexists(f"{entry.path}/{ENVIRONMENT}"):
                    entries.folders.append(path)
                    waiting.append(path)
            elif entry.is_file(follow_symlinks=False):
                entries.sizes[path] = entry.stat(follow_symlinks=False).st_size
    return entries


def _scan(folder: Path) -> Iterator[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            yield from entries
    except OSError:  # a path that is too long, or a folder that is gone
        return


def parents(path: str) -> Iterator[str]:
    """Yield the folders above a path, the innermost first."""
    while "/" in path:
        path = path.rpartition("/")[0]
        yield path


def folders_above(paths: Iterable[str]) -> set[str]:
    """Return every folder above some paths; each is found once, however many paths are below it."""
    folders: set[str] = set()
    for path in paths:
        for folder in parents(path):
            if folder in folders:
                break
            folders.add(folder)
    return folders


def _size(path: Path) -> int | None:
    """The size of a plain file, None if there is none."""
    try:
        status = path.lstat()
    except OSError:
        return None
    return status.st_size if stat.S_ISREG(status.st_mode) else None


def _contents(folder: Path, name: str) -> bytes | None:
    file = open_plain(folder, name)
    if file is None:
        return None
    with file:
        return file.read()
