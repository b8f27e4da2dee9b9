"""Links in a workspace: those that stay inside become copies, those to what a task gives stay links."""

from __future__ import annotations

import posixpath
from bisect import bisect_left
from collections.abc import Iterable, Mapping
from itertools import accumulate

WORKSPACE = "/workspace"
GIVEN = ("/inputs", "/usr", "/bin", "/lib", "/lib64", "/opt/assay")
"""What every sandbox of a task shows alike: its inputs, the system's programs, the checker."""
DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom")
_LONGEST_CHAIN = 8


def copies(
    links: Mapping[str, str], files: Mapping[str, bytes], *, most_files: int, most_bytes: int
) -> dict[str, bytes]:
    """The files that links stand for, by the links' own paths; a link whose files do not fit gives none.

    Files below a folder are found by their place in the sorted list of paths, so that many links cost no
    more than they give.
    """
    found: dict[str, bytes] = {}
    paths = sorted(files)
    sizes = [0, *accumulate(len(files[path]) for path in paths)]
    for link in sorted(links):
        target = inside(link, links)
        first, end = range_of(target, paths) if target is not None else (0, 0)
        count, size = end - first, sizes[end] - sizes[first]
        if count > most_files or size > most_bytes:
            continue
        most_files, most_bytes = most_files - count, most_bytes - size
        found |= {link + path[len(target or "") :]: files[path] for path in paths[first:end]}
    return found


def range_of(target: str, paths: list[str]) -> tuple[int, int]:
    """Where a file, or the files of a folder, stand in a sorted list of paths."""
    place = bisect_left(paths, target)
    if place < len(paths) and paths[place] == target:
        return place, place + 1
    first = bisect_left(paths, f"{target}/")
    return first, bisect_left(paths, f"{target}0", first)  # "0" is the character that follows "/"


def inside(link: str, links: Mapping[str, str]) -> str | None:
    """Where a link leads in the workspace; None where it leads out, in a circle, or to a folder around it."""
    place = link
    for _ in range(_LONGEST_CHAIN):
        whole = leads_to(place, links[place])
        if not whole.startswith(f"{WORKSPACE}/"):
            return None
        place = whole.removeprefix(f"{WORKSPACE}/")
        if place not in links:
            return None if f"{link}/".startswith(f"{place}/") else place
    return None


def leads_to(link: str, target: str) -> str:
    """The absolute path that a link in the workspace names, read without following other links."""
    whole = posixpath.normpath(posixpath.join(WORKSPACE, posixpath.dirname(link), target))
    return "/" + whole.lstrip("/")


def is_given(place: str, shown: Iterable[str] = ()) -> bool:
    """Whether a place is the same in every sandbox of a task, so that a link to it can stay."""
    return place in DEVICES or is_below(place, (*GIVEN, *shown))


def is_below(place: str, roots: Iterable[str]) -> bool:
    """Whether an absolute path is one of some folders or lies below one."""
    return any(place == root or place.startswith(f"{root}/") for root in roots)
