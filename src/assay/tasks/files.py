"""Trees of files held by path: what a workspace, a solution and a truth are made of."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import Annotated

from pydantic import AfterValidator

from assay.errors import TaskError

LONGEST_PATH = 1_000
"""Bytes of a path that an agent may leave; longer ones might not fit below another folder."""


def check_path(path: str) -> str:
    """The path itself if it is relative, normalised and stays inside its folder."""
    pure = PurePosixPath(path)
    if not path or "\0" in path or "\\" in path or pure.is_absolute() or ".." in pure.parts:
        raise ValueError(f"{path!r} is not a path inside the task (relative, no '..', '/' between parts)")
    if str(pure) != path or path == ".":
        raise ValueError(f"{path!r} is not normalised, expected {str(pure)!r}")
    return path


RelativePath = Annotated[str, AfterValidator(check_path)]
Files = dict[RelativePath, bytes]


def folders_of(path: str) -> list[str]:
    """The folders above a path, the outermost first."""
    parts = path.split("/")[:-1]
    return ["/".join(parts[:count]) for count in range(1, len(parts) + 1)]


def below(files: Mapping[str, bytes], folder: str) -> dict[str, bytes]:
    """The files under one folder, by their paths inside it."""
    prefix = f"{folder}/"
    return {path[len(prefix) :]: data for path, data in files.items() if path.startswith(prefix)}


def read_tree(folder: Path, place: str) -> dict[str, bytes]:
    """Every file below a folder; links are refused, caches of Python are passed over."""
    found: dict[str, bytes] = {}
    for path in sorted(folder.rglob("*")) if folder.is_dir() else []:
        if path.is_symlink():
            where = f"{place}/{path.relative_to(folder).as_posix()}"
            raise TaskError(where, "is a link, expected a plain file", hint="copy the file there")
        if path.is_file() and "__pycache__" not in path.parts:
            found[path.relative_to(folder).as_posix()] = path.read_bytes()
    return found


def write_tree(files: Mapping[str, bytes], folder: Path) -> None:
    """Write every file below a folder; scripts, by their name or first line, become executable."""
    for path, data in files.items():
        target = folder / check_path(path)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
        if target.suffix == ".sh" or data.startswith(b"#!"):
            target.chmod(0o755)
