"""A cache that machines share at an address, such as `ASSAY_CACHE=s3://bucket/assay`.

Each machine keeps its own cache folder, because sandboxes mount folders. What it lacks it takes from the
address, and what it made it puts there: environments and inputs, each as one archive under the hash of what
it is made from. An archive counts only if its checksum is there and fits.

What it does not cover: environments contain the path of their folder and of their interpreter, so only
machines with the same of both share them; other machines build their own. Nothing is ever removed there.
"""

from __future__ import annotations

import hashlib
import os
import platform
import shutil
import sys
import tarfile
import tempfile
from pathlib import Path
from typing import Any

from assay.files import is_remote, place, publish

VARIABLE = "ASSAY_CACHE"
LARGE = 64_000_000
"""Bytes from which progress is printed in steps."""


def shared_cache() -> Path | None:
    """The address that machines share; None where the cache is a folder."""
    setting = os.environ.get(VARIABLE)
    address = place(setting) if setting else None
    return address if address is not None and is_remote(address) else None


def take_shared(room: str, name: str, folder: Path, *, is_placed: bool = False) -> bool:
    """Take a folder from the shared cache; False where it is not there or not whole.

    `is_placed` is for contents that work only at the path at which they were made.
    """
    shared = shared_cache()
    if shared is None:
        return False
    archive = shared / room / _file_name(name, folder, is_placed)
    checksum = archive.with_name(f"{archive.name}.sha256")
    if not checksum.is_file():
        return False
    with tempfile.TemporaryDirectory(prefix=".partial-", dir=folder.parent) as staging:
        local = Path(staging) / "archive"
        _copy(archive, local, f"{room}/{name[:12]}")
        if _digest(local) != checksum.read_text():
            _tell(f"{archive} is not what its checksum says, so it is made again here")
            return False
        unpacked = Path(staging) / "folder"
        with tarfile.open(local) as contents:
            # Made by another machine of the same user: links and modes must stay as they are.
            contents.extractall(unpacked, filter="fully_trusted")
        shutil.rmtree(folder, ignore_errors=True)
        unpacked.rename(folder)
    return True


def put_shared(room: str, name: str, folder: Path, *, is_placed: bool = False) -> None:
    """Put a folder into the shared cache, unless it is there; a cache that cannot be written is no error."""
    shared = shared_cache()
    if shared is None:
        return
    archive = shared / room / _file_name(name, folder, is_placed)
    checksum = archive.with_name(f"{archive.name}.sha256")
    try:
        if checksum.is_file():
            return
        with tempfile.TemporaryDirectory(prefix=".partial-", dir=folder.parent) as staging:
            local = Path(staging) / "archive"
            with tarfile.open(local, "w:gz", compresslevel=1) as contents:
                contents.add(folder, arcname=".")
            _tell(f"puts {room}/{name[:12]} into the shared cache: {_megabytes(local.stat().st_size)}")
            remote: Any = archive
            remote.fs.put_file(str(local), remote.path)
            # Last, so that nobody takes half an archive.
            publish(checksum, _digest(local))
    except OSError as error:
        _tell(f"{shared} cannot be written, so other machines make {room}/{name[:12]} again: {error}")


def _file_name(name: str, folder: Path, is_placed: bool) -> str:
    if not is_placed:
        return f"{name}.tar.gz"
    where = "\0".join([str(folder), sys.platform, platform.machine(), *platform.libc_ver()])
    return f"{name}-{hashlib.sha256(where.encode()).hexdigest()[:12]}.tar.gz"


def _copy(archive: Path, target: Path, title: str) -> None:
    """Copy a file from the address, with a line for each tenth of a large one."""
    size = archive.stat().st_size
    _tell(f"takes {title} from the shared cache: {_megabytes(size)}")
    step = max(size // 10, LARGE)
    with archive.open("rb") as source, target.open("wb") as file:
        copied = told = 0
        while block := source.read(1 << 20):
            file.write(block)
            copied += len(block)
            if copied - told >= step:
                told = copied
                _tell(f"{title}: {_megabytes(copied)} of {_megabytes(size)}")


def _digest(file: Path) -> str:
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _megabytes(size: int) -> str:
    return f"{size / 1e6:.1f} MB"


def _tell(line: str) -> None:
    """On standard error, which clusters keep for each worker."""
    print(f"cache: {line}", file=sys.stderr, flush=True)
