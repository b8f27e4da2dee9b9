"""Known names: which distribution contains a module, and which distributions were renamed."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files

from packaging.utils import canonicalize_name


@cache
def _table(name: str) -> dict[str, list[str]]:
    table: dict[str, list[str]] = json.loads(
        (files("assay.workspace.building") / "names.json").read_text(encoding="utf-8")
    )[name]
    return table


def distributions_of(module: str) -> list[str]:
    """Return the known distributions of a module, the usual one first; empty if unknown."""
    table = _table("imports")
    parts = module.split(".")
    for count in range(len(parts), 0, -1):
        if distributions := table.get(".".join(parts[:count])):
            return distributions
    return [canonicalize_name(parts[0])] if parts[0] in _table("same")["names"] else []


def successor_of(distribution: str) -> str | None:
    """Return the distribution that replaces a retired or wrong name; empty if none is needed."""
    successors = _table("retired").get(distribution)
    return successors[0] if successors else None


def released_as(address: str) -> str | None:
    """Return the distribution that releases a repository's code; empty if there is none."""
    normalized = address.lower().removesuffix(".git")
    for repository, distributions in _table("repositories").items():
        if f"/{repository.lower()}" in normalized:
            return distributions[0]
    return None


def is_generic(module: str) -> bool:
    """True if a name is so common that a distribution of that name is certainly unrelated."""
    return module.startswith("_") or len(module) < 2 or module.lower() in _table("generic")["names"]


def is_heavy(distribution: str) -> bool:
    """True if a build from source needs compilers and many minutes."""
    return distribution in _table("heavy")["names"]
