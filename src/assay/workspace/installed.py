"""Finds Python environments and installed packages in a workspace, by the marker files of installers.

Assay skips an environment: it is large, full of links, and useless elsewhere. Submitted code may need
packages without an environment (`pip install --target`); these come after all other files.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

_FOLDERS = "-name conda-meta -o -name site-packages -o -name '*.dist-info'"
FIND_MARKERS = rf"-type f -name pyvenv.cfg -o -type d \( {_FOLDERS} \)"
"""The `find` test for the marker files; `is_marker` is the same test."""
_FOLDER_NAMES = (b"conda-meta", b"site-packages")
_IN_ENVIRONMENT = re.compile(r"(?:^|(.*)/)(?:lib|lib64)/python\d[\w.]*/site-packages$")
_ROOT_ENVIRONMENT = re.compile(
    r"pyvenv\.cfg$|lib64(/|$)|lib/python\d[\w.]*(/|$)|include(/python|$)|conda-meta(/|$)"
    r"|bin/(activate|Activate|deactivate|python|pip|wheel|easy_install)[^/]*$"
)
"""Paths of an environment at the workspace's root; other files there belong to the agent."""


class OuterFolders:
    """Some folders of a workspace, so that a path below one of them is found fast, however deep it is."""

    def __init__(self, folders: Iterable[str]) -> None:
        self._starts: list[str] = []
        """Sorted; a folder below another one is left out, so only the one before a path can be above it."""
        for start in sorted(f"{folder}/" for folder in folders if folder):
            if not self._starts or not start.startswith(self._starts[-1]):
                self._starts.append(start)

    def are_above(self, path: str) -> bool:
        """True if one of the folders is above a path; a folder is not above itself."""
        place = bisect_left(self._starts, path)
        return place > 0 and path.startswith(self._starts[place - 1])


@dataclass(frozen=True)
class InstalledPackages:
    """Folders of environments and installed packages in one workspace."""

    environments: frozenset[str] = frozenset()
    """Their folders; the empty path is the workspace's root."""
    packages: frozenset[str] = frozenset()
    """Folders that contain only installed packages."""
    root_packages: frozenset[str] = frozenset()
    """Names at the workspace's root that belong to packages installed there."""

    def in_environment(self, path: str) -> bool:
        """True if a path belongs to an environment."""
        if "" in self.environments and _ROOT_ENVIRONMENT.match(path):
            return True
        return path in self.environments or self._environment_folders.are_above(path)

    def is_package(self, path: str) -> bool:
        """True if a path belongs to an installed package."""
        first = path.partition("/")[0]
        if first in self.root_packages or first.endswith(".dist-info"):
            return True
        return self._package_folders.are_above(path)

    @cached_property
    def _environment_folders(self) -> OuterFolders:
        return OuterFolders(self.environments)

    @cached_property
    def _package_folders(self) -> OuterFolders:
        return OuterFolders(self.packages)


def is_marker(kind: bytes, path: bytes) -> bool:
    """True if a file or folder of this kind, as `find` names it, is a marker of an installer."""
    name = path.rpartition(b"/")[2]
    if kind == b"f":
        return name == b"pyvenv.cfg"
    return kind == b"d" and (name in _FOLDER_NAMES or name.endswith(b".dist-info"))


def read_markers(paths: Iterable[str]) -> InstalledPackages:
    """Derive environments and packages from the marker files of a workspace."""
    environments: set[str] = set()
    packages: set[str] = set()
    root: set[str] = set()
    for path in paths:
        folder, _, name = path.rpartition("/")
        inner = _IN_ENVIRONMENT.match(path)
        if name in ("pyvenv.cfg", "conda-meta"):
            environments.add(folder)
        elif inner is not None:
            environments.add(inner.group(1) or "")
        elif name == "site-packages":
            packages.add(path)
        elif folder:
            packages.add(folder)
        else:
            root.add(name.split("-")[0])
    return InstalledPackages(frozenset(environments), frozenset(packages), frozenset(root))
