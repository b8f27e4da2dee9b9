"""Trees of files held by path: what a workspace, a solution and a truth are made of."""

from __future__ import annotations

import errno
import os
import shutil
import stat
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import Annotated

from pydantic import AfterValidator

from assay.errors import TaskError

MOST_BYTES = 1 << 30
"""Of all files below one part of a task together; larger data are inputs, which are kept apart."""


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
    return [path[:place] for place, character in enumerate(path) if character == "/"]


def below(files: Mapping[str, bytes], folder: str) -> dict[str, bytes]:
    """The files under one folder, by their paths inside it."""
    prefix = f"{folder}/"
    return {path[len(prefix) :]: data for path, data in files.items() if path.startswith(prefix)}


def read_plain(path: Path, place: str, most_bytes: int) -> bytes:
    """The contents of a plain file; links, pipes and devices are refused, and so is a file that is too large.

    A stranger's folder may point anywhere: what a link leads to would be shown to a model. Not covered: hard
    links, since installers make them everywhere; whoever unpacks an archive should refuse them.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise TaskError(place, "is a link, expected a plain file", hint="copy the file there") from None
        raise TaskError(place, f"cannot be read: {error.strerror}") from None
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode):
        os.close(descriptor)
        raise TaskError(place, "is no plain file (a folder, a pipe or a device), expected one")
    with os.fdopen(descriptor, "rb") as stream:
        if status.st_size > most_bytes:
            raise TaskError(place, f"has {status.st_size:,} bytes, at most {most_bytes:,} are read here")
        return stream.read(most_bytes)


def read_tree(folder: Path, place: str) -> dict[str, bytes]:
    """Every file below a folder; all but plain files are refused, caches of Python are passed over."""
    files: dict[str, bytes] = {}
    if folder.is_symlink():
        raise TaskError(place, "is a link, expected a folder", hint="copy the folder there")
    left = MOST_BYTES
    for path in sorted(folder.rglob("*")) if folder.is_dir() else []:
        name = path.relative_to(folder).as_posix()
        file_place = f"{place}/{_printable(name)}"
        if _printable(name) != name:
            raise TaskError(
                file_place, "is no name for a file: control characters, or not UTF-8", hint="rename it"
            )
        if (path.is_dir() and not path.is_symlink()) or "__pycache__" in path.parts:
            continue
        files[name] = read_plain(path, file_place, left)
        left -= len(files[name])
    return files


def _printable(name: str) -> str:
    """A name as it can be printed in one line."""
    return name if name.isprintable() else ascii(name)[1:-1]


def is_script(path: str, data: bytes) -> bool:
    """Whether a file is executable by its name or first line."""
    return path.endswith(".sh") or data.startswith(b"#!")


def write_tree(files: Mapping[str, bytes | Path], folder: Path) -> None:
    """Write every file below a folder; scripts, by their name or first line, become executable.

    A file that is already on disk is linked, not copied; nothing may change it afterwards.
    """
    made: set[Path] = set()
    for path, data in files.items():
        target = folder / check_path(path)
        if target.parent not in made:
            target.parent.mkdir(parents=True, exist_ok=True)
            made.add(target.parent)
        if isinstance(data, Path):
            _link(data, target)
        else:
            target.write_bytes(data)
        if is_script(path, b"" if isinstance(data, Path) else data):
            target.chmod(0o755)


def _link(source: Path, target: Path) -> None:
    target.unlink(missing_ok=True)
    try:
        os.link(source, target)
    except OSError:
        shutil.copyfile(source, target)
