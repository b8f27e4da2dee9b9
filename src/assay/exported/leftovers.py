"""What an untrusted user left outside its own folder, removed before the next untrusted command begins.

Build, servers and runs are separate steps: none may leave data for a later one. A verifier in a container can
rarely mount anything, so every command sees the same `/tmp`.

What this does not cover: folders that everybody may write to and that lie deeper than `DEPTH`, files that
everybody may write to, and other names for files of others in folders without the sticky bit.
"""

from __future__ import annotations

import ctypes
import os
import stat
import subprocess
from collections.abc import Collection, Iterator
from contextlib import suppress
from pathlib import Path

DEPTH = 3
"""How many levels below `/` are searched for folders that everybody may write to."""
NOT_SEARCHED = ("/proc", "/sys")
IPC_RMID = 0
SYSTEM_V = {"shm": "shmid", "msg": "msqid", "sem": "semid"}
"""Shared memory, queues and semaphores stay after the process that made them."""


def open_folders(folder: Path = Path("/"), depth: int = DEPTH) -> list[Path]:
    """Return the folders that everybody may write to."""
    return [Path(path) for path in _open_below(str(folder), depth)]


def _open_below(folder: str, depth: int) -> Iterator[str]:
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if entry.path in NOT_SEARCHED:
                continue
            with suppress(OSError):
                if not entry.is_dir(follow_symlinks=False):
                    continue
                if entry.stat(follow_symlinks=False).st_mode & stat.S_IWOTH:
                    yield entry.path
                if depth > 1:
                    yield from _open_below(entry.path, depth - 1)


def attributes(folder: Path) -> dict[str, bytes]:
    """Return the extended attributes of a folder that whoever may write to it can set."""
    found = {}
    with suppress(OSError):
        for name in os.listxattr(folder):
            if name.startswith("user."):
                found[name] = os.getxattr(folder, name)
    return found


def _reset_attributes(folder: Path, before: dict[str, bytes]) -> None:
    with suppress(OSError):
        for name, value in attributes(folder).items():
            if name not in before:
                os.removexattr(folder, name)
            elif value != before[name]:
                os.setxattr(folder, name, before[name])


def remove_leftovers(users: Collection[int], folders: dict[Path, dict[str, bytes]]) -> None:
    """Remove what these users own in the folders, and their System V objects; none of them runs a process.

    The folders get back the extended attributes that they had.
    """
    for folder, before in folders.items():
        _reset_attributes(folder, before)
        with suppress(OSError), os.scandir(folder) as entries:
            for entry in entries:
                with suppress(OSError):
                    if entry.stat(follow_symlinks=False).st_uid in users:
                        _remove(entry)
    for kind, column in SYSTEM_V.items():
        for number in _system_v(kind, column, users):
            control = getattr(ctypes.CDLL(None), f"{kind}ctl")
            control(number, *((0,) if kind == "sem" else ()), IPC_RMID, None)


def _remove(entry: os.DirEntry[str]) -> None:
    if entry.is_dir(follow_symlinks=False):
        # `rm` also removes folders that are nested too deeply for Python.
        subprocess.run(["rm", "-rf", "--", entry.path], stderr=subprocess.DEVNULL)
    else:
        Path(entry.path).unlink()


def _system_v(kind: str, column: str, users: Collection[int]) -> Iterator[int]:
    """The numbers of objects of one kind that the users own or made, by the kernel's list.

    Its first line has the names of the columns. A user can give an object away, and can still use it then.
    """
    with suppress(OSError):
        names, *lines = Path(f"/proc/sysvipc/{kind}").read_text().splitlines()
        columns = names.split()
        identifier, owner, maker = (columns.index(name) for name in (column, "uid", "cuid"))
        for line in lines:
            fields = line.split()
            if int(fields[owner]) in users or int(fields[maker]) in users:
                yield int(fields[identifier])
