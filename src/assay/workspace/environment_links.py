"""Checks an environment after packages ran code in it: no link may point outside."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from pathlib import Path

from assay.errors import EnvironmentFailed


def links_of(folder: Path) -> dict[Path, str]:
    """Map every link below a folder to its target."""
    links = {}
    for parent, folders, names in os.walk(folder):
        for path in (Path(parent, name) for name in (*folders, *names)):
            if path.is_symlink():
                links[path] = str(path.readlink())
    return links


def check_links(folder: Path, links_before: Mapping[Path, str]) -> None:
    """Raise if a build changed an existing link, made a link to the outside, or left a special file."""
    links_after = links_of(folder)
    for path, target in links_before.items():
        if links_after.get(path) != target:
            raise _bad_path_error(folder, path, "existed before the build and was changed by it")
    for path in links_after.keys() - links_before.keys():
        if not path.resolve().is_relative_to(folder.resolve()):
            raise _bad_path_error(folder, path, f"is a link out of the environment, to {links_after[path]}")
    for parent, _, names in os.walk(folder):
        for path in (Path(parent, name) for name in names):
            mode = path.lstat().st_mode
            if not stat.S_ISREG(mode) and not stat.S_ISLNK(mode):
                raise _bad_path_error(folder, path, "is neither a file nor a folder")


def _bad_path_error(folder: Path, path: Path, problem: str) -> EnvironmentFailed:
    return EnvironmentFailed(
        f"a build from source left {str(path.relative_to(folder))!a}, which {problem}",
        hint="this package does more than install itself: read its setup.py before you trust it",
    )
