"""Links in a workspace: links to files inside become copies, links to shared folders stay links."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from assay.rules.links import linked_paths

SHARED_FOLDERS = ("/inputs", "/usr", "/bin", "/lib", "/lib64", "/opt/assay")
"""Folders that are the same in every sandbox of a task: inputs, system programs, the checker."""
DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom")


def linked_files(
    links: Mapping[str, str], files: Mapping[str, bytes], *, most_files: int, most_bytes: int
) -> dict[str, bytes]:
    """Return the files that links point to, under the links' paths; skip a link whose files do not fit."""
    sizes = {path: len(data) for path, data in files.items()}
    linked = linked_paths(links, sizes, most_files=most_files, most_bytes=most_bytes)
    return {path: files[source] for path, source in linked.items()}


def is_shared(path: str, mounted: Iterable[str] = ()) -> bool:
    """True if a path is the same in every sandbox of a task, so that a link to it can stay."""
    return path in DEVICES or is_below(path, (*SHARED_FOLDERS, *mounted))


def is_below(path: str, roots: Iterable[str]) -> bool:
    """True if an absolute path is one of these folders or below one."""
    return any(path == root or path.startswith(f"{root}/") for root in roots)
