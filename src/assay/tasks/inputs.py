"""Inputs: models and data too large to stand in a task; kept once, under the hash of their contents.

An input is a folder. The agent and the build see it read-only at /inputs/NAME; one that is `held` is seen
by the grader's own programs alone, at /held/NAME.
"""

from __future__ import annotations

import hashlib
import shutil
import tempfile
from functools import cache
from pathlib import Path

from assay.cache import cache_folder, locked
from assay.errors import InputMissing
from assay.shared_cache import put_shared, shared_cache, take_shared
from assay.tasks.config import Input

SEEN = "/inputs"
HELD = "/held"


def tree_hash(folder: Path) -> str:
    """SHA-256 over the sorted paths below a folder, each with the SHA-256 of its file."""
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        if path.is_symlink() or not (path.is_file() or path.is_dir()):
            raise InputMissing(f"{path.name!r} in an input is no plain file")
        if path.is_file():
            digest.update(f"{path.relative_to(folder).as_posix()}\0{_file_hash(path)}\n".encode())
    return digest.hexdigest()


def _file_hash(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def keep_input(folder: Path, *, move: bool = False) -> str:
    """Copy a folder into the store of inputs, whole or not at all, and return its hash.

    `move` takes the folder itself, for models too large to be there twice.
    """
    store = cache_folder("inputs")
    with tempfile.TemporaryDirectory(prefix=".partial-", dir=store) as staging:
        partial = Path(staging) / "input"
        if move:
            shutil.move(folder, partial)
        else:
            shutil.copytree(folder, partial)
        digest = tree_hash(partial)
        try:
            partial.rename(store / digest)
        except OSError:
            # The same contents are there already, under the same name.
            if not (store / digest).is_dir():
                raise
    put_shared("inputs", digest, store / digest)
    return digest


def input_folder(needed_input: Input) -> Path:
    """Where an input is kept, its contents found to be those of its hash."""
    if needed_input.sha256 is None:
        raise InputMissing(
            f"input {needed_input.name!r} has no hash yet: it was never fetched", hint=_bring(needed_input)
        )
    folder = cache_folder("inputs") / needed_input.sha256
    if not folder.is_dir() and not _take_input(folder):
        raise InputMissing(
            f"input {needed_input.name!r} ({needed_input.sha256[:12]}…) is not here",
            hint=_bring(needed_input),
        )
    digest = _checked(folder)
    if digest != needed_input.sha256:
        raise InputMissing(
            f"input {needed_input.name!r} was changed: {folder} holds {digest[:12]}…",
            hint=f"remove that folder; {_bring(needed_input)}",
        )
    return folder


def _take_input(folder: Path) -> bool:
    """Take an input from the cache that machines share; one process of a machine at a time."""
    if shared_cache() is None:
        return False
    with locked(folder.with_suffix(".lock")):
        return folder.is_dir() or take_shared("inputs", folder.name, folder)


def _bring(needed_input: Input) -> str:
    return f"it comes from {needed_input.origin}; `assay fetch` of its suite brings it"


@cache
def _checked(folder: Path) -> str:
    """Once for each process: a large model takes a second to read."""
    return tree_hash(folder)


def place_of(needed_input: Input) -> str:
    """Where it is shown inside a sandbox."""
    return f"{HELD if needed_input.held else SEEN}/{needed_input.name}"
