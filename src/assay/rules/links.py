"""Links inside a workspace: which files they stand for, decided by their text alone."""

from __future__ import annotations

import posixpath
from bisect import bisect_left
from collections.abc import Mapping
from itertools import accumulate

WORKSPACE = "/workspace"
_LONGEST_CHAIN = 8


def linked_paths(
    links: Mapping[str, str],
    sizes: Mapping[str, int],
    *,
    most_files: int,
    most_bytes: int,
    root: str = WORKSPACE,
) -> dict[str, str]:
    """Return each path that links give, and the file that it stands for; skip a link over the limits.

    A binary search in the sorted paths finds the files below a folder, so that many links cost little.
    """
    linked: dict[str, str] = {}
    paths = sorted(sizes)
    sums = [0, *accumulate(sizes[path] for path in paths)]
    for link in sorted(links):
        target = target_inside(link, links, root)
        first, end = range_of(target, paths) if target is not None else (0, 0)
        count, size = end - first, sums[end] - sums[first]
        if count > most_files or size > most_bytes:
            continue
        most_files, most_bytes = most_files - count, most_bytes - size
        linked |= {link + path[len(target or "") :]: path for path in paths[first:end]}
    return linked


def range_of(target: str, paths: list[str]) -> tuple[int, int]:
    """Return the range of a file, or of a folder's files, in a sorted list of paths."""
    position = bisect_left(paths, target)
    if position < len(paths) and paths[position] == target:
        return position, position + 1
    first = bisect_left(paths, f"{target}/")
    return first, bisect_left(paths, f"{target}0", first)  # "0" is the character that follows "/"


def target_inside(link: str, links: Mapping[str, str], root: str = WORKSPACE) -> str | None:
    """Return a link's target in the workspace; None for a target outside, a circle, or its own parent."""
    path = link
    for _ in range(_LONGEST_CHAIN):
        absolute = absolute_target(path, links[path], root)
        if not absolute.startswith(f"{root}/"):
            return None
        path = absolute.removeprefix(f"{root}/")
        if path not in links:
            return None if f"{link}/".startswith(f"{path}/") else path
    return None


def absolute_target(link: str, target: str, root: str = WORKSPACE) -> str:
    """Return the absolute path of a link's target, without following other links."""
    absolute = posixpath.normpath(posixpath.join(root, posixpath.dirname(link), target))
    return "/" + absolute.lstrip("/")
