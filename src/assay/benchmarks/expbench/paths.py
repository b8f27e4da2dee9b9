"""Converts published paths to paths in the repository, without the folders of the authors' machines."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Iterable, Mapping

PREFIXES = ("/workspace/", "/tmp/", "workspace/")
_REFERENCE = re.compile(r"/?[\w.*-]+(?:/[\w.*-]+)+\.\w+|[\w-]+\.(?:py|sh|ipynb|yaml|yml|json|md)\b")


def inside(path: str) -> str:
    """Return one path, relative to the repository."""
    plain = re.sub(r"^/tmp/repos/[^/]+/", "", path)
    return re.sub(r"^/?workspace/", "", plain).strip("/")


def all_inside(paths: Iterable[str]) -> tuple[str, ...]:
    """Return several paths, relative to the repository, without duplicates."""
    return tuple(dict.fromkeys(inside(path) for path in paths))


def references(requirement: str) -> list[str]:
    """Return the files that a requirement names."""
    paths = [inside(path) for path in _REFERENCE.findall(requirement)]
    return list(dict.fromkeys(path for path in paths if path))


def foreign(paths: Iterable[str]) -> dict[str, int]:
    """Return foreign prefix → how many paths start with it."""
    named = list(paths)
    counts = {prefix: sum(path.startswith(prefix) for path in named) for prefix in PREFIXES}
    return {prefix: count for prefix, count in counts.items() if count}


def matching_files(paths: Iterable[str], tree: Mapping[str, bytes]) -> list[str]:
    """Return the files of the repository to which published paths refer: as a name, a pattern or a folder."""
    files: dict[str, None] = {}
    for path in paths:
        if path in tree:
            files[path] = None
        elif "*" in path:
            files.update(dict.fromkeys(fnmatch.filter(tree, path)))
        else:
            files.update(dict.fromkeys(file for file in tree if file.startswith(f"{path}/")))
    return list(files)
