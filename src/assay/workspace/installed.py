"""Python environments and installed packages in a workspace, by the marks that installers leave.

An environment is passed over: it is large, full of links, and of no use elsewhere. Packages without an
environment (`pip install --target`) may be needed by what was handed in, and count after everything else.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from assay.tasks.files import folders_of

_FOLDERS = "-name conda-meta -o -name site-packages -o -name '*.dist-info'"
MARKS = rf"-type f -name pyvenv.cfg -o -type d \( {_FOLDERS} \)"
"""The `find` test for what this module reads."""
_IN_ENVIRONMENT = re.compile(r"(?:^|(.*)/)(?:lib|lib64)/python\d[\w.]*/site-packages$")
_AT_THE_ROOT = re.compile(
    r"pyvenv\.cfg$|lib64(/|$)|lib/python\d[\w.]*(/|$)|include(/python|$)|conda-meta(/|$)"
    r"|bin/(activate|Activate|deactivate|python|pip|wheel|easy_install)[^/]*$"
)
"""What an environment at the workspace's root consists of; the other files there are the agent's own."""


@dataclass(frozen=True)
class Installed:
    """Where environments and installed packages lie in one workspace."""

    environments: frozenset[str] = frozenset()
    """Their folders; the empty path is the workspace's root."""
    packages: frozenset[str] = frozenset()
    """Folders that hold nothing but installed packages."""
    root_packages: frozenset[str] = frozenset()
    """Names at the workspace's root that packages installed there brought along."""

    def in_environment(self, path: str) -> bool:
        """Whether a path belongs to an environment."""
        if "" in self.environments and _AT_THE_ROOT.match(path):
            return True
        return bool(self.environments) and any(
            folder in self.environments for folder in (*folders_of(path), path)
        )

    def is_package(self, path: str) -> bool:
        """Whether a path belongs to an installed package."""
        first = path.partition("/")[0]
        if first in self.root_packages or first.endswith(".dist-info"):
            return True
        return bool(self.packages) and any(folder in self.packages for folder in folders_of(path))


def read_marks(paths: Iterable[str]) -> Installed:
    """What the marks found in a workspace mean."""
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
    return Installed(frozenset(environments), frozenset(packages), frozenset(root))
