"""Reads folders that others wrote: plain files only, at places that no link leads to.

Not covered: hard links, as with every reading of such folders.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from assay.errors import TaskError, UsageError
from assay.tasks.files import MOST_BYTES, read_plain, read_tree


def refuse_linked_folders(path: Path, root: Path) -> None:
    """Raise an error if a folder between a root and a path is a link."""
    for folder in path.relative_to(root).parents:
        if (root / folder).is_symlink() and folder != Path():
            raise TaskError(str(root / folder), "is a link, expected a folder", hint="copy the folder there")


def read_file(path: Path, root: Path, most_bytes: int = MOST_BYTES) -> bytes:
    """Return the contents of a plain file; no link below the root is followed."""
    refuse_linked_folders(path, root)
    return read_plain(path, str(path), most_bytes)


def read_text(path: Path, root: Path) -> str:
    """Return the text of a plain file; no link below the root is followed."""
    try:
        return read_file(path, root).decode()
    except UnicodeDecodeError as error:
        raise TaskError(str(path), f"is not UTF-8: {error}") from None


def read_folder(folder: Path, root: Path, place: str) -> dict[str, bytes]:
    """Return every file below a folder; anything but plain files is refused."""
    refuse_linked_folders(folder, root)
    return read_tree(folder, place)


def copy_folder(source: Path, target: Path, *left_out: str) -> None:
    """Copy a folder, its links as links, into an empty or new one; pipes and devices are refused.

    `left_out` are patterns of names.
    """
    ignored = shutil.ignore_patterns(*left_out) if left_out else None
    try:
        shutil.copytree(source, target, dirs_exist_ok=True, symlinks=True, ignore=ignored)
    except shutil.Error as error:
        _, _, reason = error.args[0][0]
        raise UsageError(f"{source} cannot be copied: {reason}", hint="remove the file") from None
