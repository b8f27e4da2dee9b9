"""Links that stay inside a workspace: what they lead to is handed in under both names."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping

WORKSPACE = "/workspace"
_LONGEST_CHAIN = 8


def copies(
    links: Mapping[str, str], files: Mapping[str, bytes], *, most_files: int, most_bytes: int
) -> dict[str, bytes]:
    """The files that links stand for, by the links' own paths, as long as they fit."""
    found: dict[str, bytes] = {}
    for link in sorted(links):
        target = inside(link, links)
        if target is None:
            continue
        for path, data in files.items():
            if path != target and not path.startswith(f"{target}/"):
                continue
            most_files, most_bytes = most_files - 1, most_bytes - len(data)
            if most_files < 0 or most_bytes < 0:
                return found
            found[link + path[len(target) :]] = data
    return found


def inside(link: str, links: Mapping[str, str]) -> str | None:
    """Where a link leads in the workspace; None where it leads out, in a circle, or to a folder around it."""
    place = link
    for _ in range(_LONGEST_CHAIN):
        place = posixpath.normpath(posixpath.join(WORKSPACE, posixpath.dirname(place), links[place]))
        if not place.startswith(f"{WORKSPACE}/"):
            return None
        place = place.removeprefix(f"{WORKSPACE}/")
        if place not in links:
            return None if f"{link}/".startswith(f"{place}/") else place
    return None
