"""An environment that code of its packages has written into: nothing in it may lead out of it."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from pathlib import Path

from assay.errors import EnvironmentFailed


def links_of(folder: Path) -> dict[Path, str]:
    """Every link below a folder, and where it leads."""
    found = {}
    for place, folders, names in os.walk(folder):
        for path in (Path(place, name) for name in (*folders, *names)):
            if path.is_symlink():
                found[path] = str(path.readlink())
    return found


def expect_tidy(folder: Path, before: Mapping[Path, str]) -> None:
    """Raise where a build has changed a link that was there, or left one that leads out, or no plain file."""
    after = links_of(folder)
    for path, target in before.items():
        if after.get(path) != target:
            raise _untidy(folder, path, "was there before the build and was changed by it")
    for path in after.keys() - before.keys():
        if not path.resolve().is_relative_to(folder.resolve()):
            raise _untidy(folder, path, f"is a link out of the environment, to {after[path]}")
    for place, _, names in os.walk(folder):
        for path in (Path(place, name) for name in names):
            mode = path.lstat().st_mode
            if not stat.S_ISREG(mode) and not stat.S_ISLNK(mode):
                raise _untidy(folder, path, "is neither a file nor a folder")


def _untidy(folder: Path, path: Path, what: str) -> EnvironmentFailed:
    return EnvironmentFailed(
        f"a build from source left {str(path.relative_to(folder))!a}, which {what}",
        hint="this package does more than install itself: look at its setup.py before you trust it",
    )
