"""Links in a workspace: links to files inside become copies, links to shared folders stay links."""

from __future__ import annotations

import posixpath
from bisect import bisect_left
from collections.abc import Iterable, Mapping
from itertools import accumulate

WORKSPACE = "/workspace"
SHARED_FOLDERS = ("/inputs", "/usr", "/bin", "/lib", "/lib64", "/opt/assay")
"""Folders that are the same in every sandbox of a task: inputs, system programs, the checker."""
DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom")
_LONGEST_CHAIN = 8


def linked_files(
    links: Mapping[str, str], files: Mapping[str, bytes], *, most_files: int, most_bytes: int
) -> dict[str, bytes]:
    """Return the files that links point to, under the links' own paths; skip a link whose files do not fit.

    A binary search in the sorted paths finds the files below a folder, so that many links cost little.
    """
    linked: dict[str, bytes] = {}
    paths = sorted(files)
    sizes = [0, *accumulate(len(files[path]) for path in paths)]
    for link in sorted(links):
        target = target_inside(link, links)
        first, end = range_of(target, paths) if target is not None else (0, 0)
        count, size = end - first, sizes[end] - sizes[first]
        if count > most_files or size > most_bytes:
            continue
        most_files, most_bytes = most_files - count, most_bytes - size
        linked |= {link + path[len(target or "") :]: files[path] for path in paths[first:end]}
    return linked


def range_of(target: str, paths: list[str]) -> tuple[int, int]:
    """Return the range of a file, or of a folder's files, in a sorted list of paths."""
    position = bisect_left(paths, target)
    if position < len(paths) and paths[position] == target:
        return position, position + 1
    first = bisect_left(paths, f"{target}/")
    return first, bisect_left(paths, f"{target}0", first)  # "0" is the character that follows "/"


def target_inside(link: str, links: Mapping[str, str]) -> str | None:
    """Return a link's target in the workspace; None for a target outside, a circle, or its own parent."""
    path = link
    for _ in range(_LONGEST_CHAIN):
        absolute = absolute_target(path, links[path])
        if not absolute.startswith(f"{WORKSPACE}/"):
            return None
        path = absolute.removeprefix(f"{WORKSPACE}/")
        if path not in links:
            return None if f"{link}/".startswith(f"{path}/") else path
    return None


def absolute_target(link: str, target: str) -> str:
    """Return the absolute path of a link's target, without following other links."""
    absolute = posixpath.normpath(posixpath.join(WORKSPACE, posixpath.dirname(link), target))
    return "/" + absolute.lstrip("/")


def is_shared(path: str, mounted: Iterable[str] = ()) -> bool:
    """True if a path is the same in every sandbox of a task, so that a link to it can stay."""
    return path in DEVICES or is_below(path, (*SHARED_FOLDERS, *mounted))


def is_below(path: str, roots: Iterable[str]) -> bool:
    """True if an absolute path is one of these folders or below one."""
    return any(path == root or path.startswith(f"{root}/") for root in roots)
