"""Files and folders that appear whole or not at all, whenever the writing ends; local or at an address.

A folder of logs may be at an address that fsspec knows, such as `s3://bucket/logs`. There `place` returns a
`UPath`, which has the methods of `Path` that are used for logs and archives, so it is typed as one. What it
does not cover: names, locks and temporary files of the operating system, which only a local path has.
"""

from __future__ import annotations

import io
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

from assay.errors import UsageError

_OPTIONS: dict[str, Any] = {"use_listings_cache": False}
"""Other machines write there too, so a list of files that was read earlier is not used again."""
_S3_OPTIONS = {"config_kwargs": {"retries": {"max_attempts": 10, "mode": "adaptive"}}}
"""A service that does not answer is asked again for more than a minute, as Inspect does it for logs."""
_ADDRESS = re.compile(r"(?P<protocol>[a-z][a-z0-9+.-]+):/+(?P<rest>[^/].*)", re.DOTALL)


def place(name: str | Path) -> Path:
    """Return the path of a local file or folder, or of one at an address such as `s3://bucket/logs`.

    `Path` makes one slash of the two in an address; such a path is understood too.
    """
    address = None if is_remote(name) else _ADDRESS.fullmatch(str(name))
    if address is None:
        return name if not isinstance(name, str) else Path(name)
    if address["protocol"] == "file":
        return Path(f"/{address['rest']}")
    from upath import UPath

    options = _OPTIONS | (_S3_OPTIONS if address["protocol"] == "s3" else {})
    return cast(Path, UPath(f"{address['protocol']}://{address['rest']}", **options))


def whole_name(name: str | Path) -> str:
    """Return the name of a file or folder that is the same in every working folder."""
    path = place(name)
    return str(path if is_remote(path) else path.resolve())


def is_remote(path: str | Path) -> bool:
    """Whether a path that `place` returned is at an address, where files are not those of a disk."""
    return not isinstance(path, str | Path)


def openable(path: Path) -> Path | io.BytesIO:
    """Return what `ZipFile` can open: the path itself, or the bytes of a file at an address."""
    return io.BytesIO(path.read_bytes()) if is_remote(path) else path


def read_listed(path: Path) -> str:
    """Return the text of a file that a user names; UsageError where it is none in UTF-8."""
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise UsageError(
            f"{path} is no text: byte {error.start + 1} is not UTF-8", hint="save the file as UTF-8"
        ) from None


def publish(path: Path, data: bytes | str, *, private: bool = False, durable: bool = False) -> None:
    """Write a file in one step, in place of an older one; a private file is for this user alone.

    The contents of a durable file are on the disk when this returns; `flush_to_disk` of the folder makes its
    name survive a loss of power too.
    """
    if is_remote(path):
        path.write_bytes(data.encode() if isinstance(data, str) else data)
        return
    with publishing(path) as partial:
        partial.touch(mode=0o600 if private else 0o666)
        partial.write_bytes(data.encode() if isinstance(data, str) else data)
        if durable:
            flush_to_disk(partial)


def flush_to_disk(path: Path) -> None:
    """Wait until a local file, or the list of names of a folder, is on the disk."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def publishing(target: Path, *, keep_existing: bool = False) -> Iterator[Path]:
    """A path beside the target for a new file or folder, which takes the target's name when the block ends.

    An error in the block leaves the target as it was. Two processes may publish the same target: the last
    one wins, or with `keep_existing` the first, for contents that are the same whoever makes them.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".partial-", dir=target.parent) as staging:
        partial = Path(staging) / target.name
        yield partial
        if target.is_dir() and not keep_existing:
            shutil.rmtree(target)
        try:
            partial.replace(target)
        except OSError:
            if not (keep_existing and target.is_dir()):
                raise


def copy_tree(source: str, target: str) -> list[str]:
    """Copy a folder of small files with modes and times, and return the paths of its files inside it.

    It does in half of the time what `shutil.copytree` does: every attempt needs several copies.
    """
    copied: list[str] = []
    Path(target).mkdir(exist_ok=True)
    with os.scandir(source) as entries:
        for entry in entries:
            if entry.is_dir():
                inner = copy_tree(entry.path, f"{target}/{entry.name}")
                copied += [f"{entry.name}/{path}" for path in inner]
            else:
                _copy_file(entry.path, f"{target}/{entry.name}")
                copied.append(entry.name)
    return copied


def _copy_file(source: str, target: str) -> None:
    read = os.open(source, os.O_RDONLY | os.O_CLOEXEC)
    try:
        status = os.fstat(read)
        with os.fdopen(
            os.open(target, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC), "wb", 0
        ) as file:
            while chunk := os.read(read, 1 << 20):
                file.write(chunk)
            os.fchmod(file.fileno(), status.st_mode & 0o7777)
            os.utime(file.fileno(), ns=(status.st_atime_ns, status.st_mtime_ns))
    finally:
        os.close(read)
