"""Whether everything that must be handed in was."""

from __future__ import annotations

import posixpath
from collections.abc import Collection, Iterable, Mapping

from assay.rules.ruling import Ruling, met, unmet

FILE_LIMIT = 16 * 2**20
TOTAL_LIMIT = 64 * 2**20
COUNT_LIMIT = 5_000
"""Limits of a submission: bytes of a file, bytes and number of all changed files."""
FOLDER_LIMIT = 20_000
"""Folders above all files, links and empty folders of a submission."""
OVER_FOLDERS = f"over the limits of a submission ({FOLDER_LIMIT:,} folders in all)"
NAME_LIMIT = 512
"""Bytes in the names of empty folders and links, and in what links lead to, of a challenge: an evaluator that
counts what was handed in sees files, and names could carry trained weights past it."""
SKIPPED_NAMES = ("__pycache__", ".git", ".ipynb_checkpoints", ".pytest_cache", ".mypy_cache")
"""Files and folders of a workspace that are no part of what is handed in."""
HANDED_IN = "handed-in."
"""How the items begin that say whether a file was handed in."""


def over_folder_limit(
    paths: Iterable[str], first: Collection[str] = (), most: int = FOLDER_LIMIT
) -> set[str]:
    """The paths that do not fit into so many folders; those of `first` fit before others, shallow ones next.

    Links to one deep folder give each of its folders as often as there are links. So folders are counted by
    what neighbours in a sorted list share, and no path is taken apart.
    """
    all_paths = sorted(set(paths))
    if sum(path.count("/") for path in all_paths) <= most:
        return set()
    if (
        sum(_new_folders(path, before) for before, path in zip(["", *all_paths[:-1]], all_paths, strict=True))
        <= most
    ):
        return set()
    left_out: set[str] = set()
    before = ""
    for path in sorted(all_paths, key=lambda path: (path not in first, path.count("/"), path)):
        count = _new_folders(path, before)
        if count > most:
            left_out.add(path)
            continue
        most, before = most - count, path
    return left_out


def _new_folders(path: str, before: str) -> int:
    """How many folders of a path are not above the path before it."""
    return path.count("/", len(posixpath.commonprefix([before, path])))


def within_name_limit(names: Mapping[str, str], most: int = NAME_LIMIT) -> list[str]:
    """The paths whose text, one after the other, fits into so many bytes."""
    fitting: list[str] = []
    for path, text in names.items():
        size = len(text.encode(errors="surrogateescape"))
        if size <= most:
            most -= size
            fitting.append(path)
    return fitting


def grade_handed_in(
    required: Collection[str],
    submitted: Collection[str],
    given_files: Collection[str],
    deleted: Collection[str],
    refused: Mapping[str, str],
) -> list[Ruling]:
    """One ruling for each required file.

    An agent that changes other files may leave a required one as it was given; one that changes nothing
    hands nothing in.
    """
    rulings = []
    for path in required:
        unchanged = path in given_files and path not in deleted and path not in refused
        present = path in submitted or (unchanged and bool(submitted))
        reason = refused.get(path, "it was not handed in")
        rulings.append((met if present else unmet)(f"{HANDED_IN}{path}", "handed in" if present else reason))
    return rulings
