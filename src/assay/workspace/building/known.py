"""Names that differ: what an import is called on the package index, and what has been renamed there."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files

from packaging.utils import canonicalize_name


@cache
def _table(name: str) -> dict[str, list[str]]:
    found: dict[str, list[str]] = json.loads(
        (files("assay.workspace.building") / "names.json").read_text(encoding="utf-8")
    )[name]
    return found


def distributions_of(module: str) -> list[str]:
    """The distributions that are known to hold a module, the usual one first; none if unknown."""
    table = _table("imports")
    parts = module.split(".")
    for count in range(len(parts), 0, -1):
        if found := table.get(".".join(parts[:count])):
            return found
    return [canonicalize_name(parts[0])] if parts[0] in _table("same")["names"] else []


def successor_of(distribution: str) -> str | None:
    """What a retired or wrong name stands for; empty where nothing is needed in its place."""
    found = _table("retired").get(distribution)
    return found[0] if found else None


def released_as(address: str) -> str | None:
    """The distribution in which a repository's code is released; empty where it never was."""
    place = address.lower().removesuffix(".git")
    for repository, found in _table("repositories").items():
        if f"/{repository.lower()}" in place:
            return found[0]
    return None


def is_generic(module: str) -> bool:
    """Whether a name is so common that a distribution of that name is surely something else."""
    return module.startswith("_") or len(module) < 2 or module.lower() in _table("generic")["names"]


def is_heavy(distribution: str) -> bool:
    """Whether building it from source takes compilers and many minutes."""
    return distribution in _table("heavy")["names"]
