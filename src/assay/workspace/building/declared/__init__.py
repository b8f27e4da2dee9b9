"""Reads the requirements that a repository's own files declare."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path, PurePosixPath

from assay.workspace.building.declared.conda import read_conda
from assay.workspace.building.declared.declaration import Declared
from assay.workspace.building.declared.lines import read_lines
from assay.workspace.building.declared.projects import read_pipfile, read_pyproject
from assay.workspace.building.declared.python import read_dockerfile, read_version_file
from assay.workspace.building.declared.setups import read_setup_cfg, read_setup_py

__all__ = ["Declared", "read_declared"]

_NOT_NEEDED = re.compile(r"dev|test|doc|lint|optional|extra|ci\b|style|quality|build|lock|min")
_SKIPPED_FOLDERS = re.compile(r"(^|/)(tests?|docs?|\.[^/]*|build|dist|examples?)/")
_FILES: tuple[tuple[str, Callable[[Path, str], Declared]], ...] = (
    (r"(requirements?[^/]*|[^/]*requirements?)\.(txt|in)", read_lines),
    (r"requirements/(base|main|core|runtime|requirements|default|install|common)\.(txt|in)", read_lines),
    (r"setup\.py", read_setup_py),
    (r"setup\.cfg", read_setup_cfg),
    (r"pyproject\.toml", read_pyproject),
    (r"[^/]*(environment|conda|env)[^/]*\.ya?ml", read_conda),
    (r"Pipfile", read_pipfile),
    (r"\.python-version|runtime\.txt", read_version_file),
    (r"[^/]*Dockerfile[^/]*", read_dockerfile),
)


def read_declared(folder: Path, paths: list[str]) -> Declared:
    """Return the union of all declaring files at the top, and at the first level that has requirements."""
    levels: dict[int, Declared] = {}
    for path in paths:
        reader = _reader(path)
        if reader is None or _SKIPPED_FOLDERS.search(path):
            continue
        depth = path.count("/") - path.startswith("requirements/")
        levels[depth] = levels.get(depth, Declared()) + reader(folder / path, path)
    levels_with_wishes = [depth for depth, declared in sorted(levels.items()) if declared.wishes]
    chosen_level = levels_with_wishes[0] if levels_with_wishes else 0
    # A Dockerfile or a Python version file in a subfolder applies only to that subfolder.
    declared = (
        levels.get(0, Declared()) if chosen_level == 0 else levels.get(0, Declared()) + levels[chosen_level]
    )
    if chosen_level > 0:
        declared = declared.with_note(
            "no file at the top declares requirements; Assay used those of subfolders"
        )
    return declared


def _reader(path: str) -> Callable[[Path, str], Declared] | None:
    name = PurePosixPath(path).name.lower()
    if name.endswith((".txt", ".in")) and _NOT_NEEDED.search(name.replace("requirements", "")):
        return None
    for pattern, reader in _FILES:
        if re.fullmatch(rf"(?:.*/)?{pattern}", path):
            return reader
    return None
