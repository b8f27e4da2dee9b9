"""What a repository's own files say it needs."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path, PurePosixPath

from assay.workspace.building.declared.conda import read_conda
from assay.workspace.building.declared.found import Declared
from assay.workspace.building.declared.lines import read_lines
from assay.workspace.building.declared.projects import read_pipfile, read_pyproject
from assay.workspace.building.declared.python import read_dockerfile, read_version_file
from assay.workspace.building.declared.setups import read_setup_cfg, read_setup_py

__all__ = ["Declared", "read_declared"]

_NOT_NEEDED = re.compile(r"dev|test|doc|lint|optional|extra|ci\b|style|quality|build|lock|min")
_ASIDE = re.compile(r"(^|/)(tests?|docs?|\.[^/]*|build|dist|examples?)/")
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
    """The union of every file that declares something, of the shallowest level that has any."""
    levels: dict[int, Declared] = {}
    for path in paths:
        reader = _reader(path)
        if reader is None or _ASIDE.search(path):
            continue
        depth = path.count("/") - path.startswith("requirements/")
        levels[depth] = levels.get(depth, Declared()) + reader(folder / path, path)
    speaking = [depth for depth, each in sorted(levels.items()) if each.wishes]
    chosen = speaking[0] if speaking else 0
    # A Dockerfile or a note of the Python in a subfolder speaks of that subfolder alone.
    found = levels.get(0, Declared()) if chosen == 0 else levels.get(0, Declared()) + levels[chosen]
    if chosen > 0:
        found = found.noting("no requirements are declared at the top; those of subfolders were taken")
    return found


def _reader(path: str) -> Callable[[Path, str], Declared] | None:
    name = PurePosixPath(path).name.lower()
    if name.endswith((".txt", ".in")) and _NOT_NEEDED.search(name.replace("requirements", "")):
        return None
    for pattern, reader in _FILES:
        if re.fullmatch(rf"(?:.*/)?{pattern}", path):
            return reader
    return None
