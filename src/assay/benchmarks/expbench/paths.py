"""Published paths as they stand in a repository, without the folders of the authors' machines."""

from __future__ import annotations

import re
from collections.abc import Iterable

PREFIXES = ("/workspace/", "/tmp/", "workspace/")
_REFERENCE = re.compile(r"/?[\w.*-]+(?:/[\w.*-]+)+\.\w+|[\w-]+\.(?:py|sh|ipynb|yaml|yml|json|md)\b")


def inside(path: str) -> str:
    """One path, as it stands in the repository."""
    plain = re.sub(r"^/tmp/repos/[^/]+/", "", path)
    return re.sub(r"^/?workspace/", "", plain).strip("/")


def all_inside(paths: Iterable[str]) -> tuple[str, ...]:
    """Several, each once."""
    return tuple(dict.fromkeys(inside(path) for path in paths))


def references(requirement: str) -> list[str]:
    """The files that a requirement names."""
    found = [inside(each) for each in _REFERENCE.findall(requirement)]
    return list(dict.fromkeys(each for each in found if each))


def foreign(paths: Iterable[str]) -> dict[str, int]:
    """Foreign beginning → how many paths begin with it."""
    named = list(paths)
    counts = {prefix: sum(path.startswith(prefix) for path in named) for prefix in PREFIXES}
    return {prefix: count for prefix, count in counts.items() if count}
