"""The users as whom untrusted commands run, and the end of everything that they started."""

from __future__ import annotations

import fcntl
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

FIRST_USER = 62000
PLACES = 500
"""Verifiers that can run on one machine at the same time."""
LOCKS = Path("/run/assay-verifiers")
LAUNCHER = Path(__file__).with_name("launcher.py")
"""The first program of every untrusted command."""
ENDING_SECONDS = 20.0
"""How long processes that were killed may take to end."""
PYTHON = re.compile(r"(?:^|(?<=[\s;&|(]))python[\d.]*(?=\s|$)")
"""A Python that a shell command starts by name."""
DEAD = ("Z", "X", "x")
"""States of a thread that runs no more."""


class NotIsolated(Exception):
    """Untrusted commands cannot be kept apart from the verifier, so nothing that they did counts."""


class UntrustedUser(NamedTuple):
    """A user without rights, and the real user of the process that kills its processes."""

    number: int
    killer: int
    """Another user, so that no process of the first one can signal or trace the process that kills it."""


def untrusted_users() -> dict[str, UntrustedUser]:
    """Return the users of what was handed in and of the task's solution; two verifiers share none.

    A user whose keys an earlier verifier's command has locked cannot be used again: the kernel keeps them.
    """
    place = os.getpid() % PLACES
    for number in (*range(place, PLACES), *range(place)):
        if _is_taken(number):
            continue
        first = FIRST_USER + 4 * number
        users = {
            "submission": UntrustedUser(first, first + 1),
            "solution": UntrustedUser(first + 2, first + 3),
        }
        if os.geteuid() != 0 or not any(map(_has_locked_keys, users.values())):
            return users
    raise NotIsolated(f"{PLACES} verifiers run on this machine, and each needs users of its own")


def _is_taken(number: int) -> bool:
    """Whether another verifier of this machine has this number; else this process has it until it ends."""
    try:
        folder = LOCKS if LOCKS.parent.is_dir() else Path(tempfile.gettempdir()) / LOCKS.name
        folder.mkdir(mode=0o700, exist_ok=True)
        if folder.lstat().st_uid != os.geteuid() or folder.is_symlink():
            return False
        flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
        lock = os.open(folder / str(number), flags, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(lock)
            return True
    except OSError:
        return False
    return False


def _has_locked_keys(user: UntrustedUser) -> bool:
    ended = _run([sys.executable, "-I", "-c", LAUNCHER.read_text(), sys.executable, "-c", ""], user, {})
    return ended is not None and b"the keys of its user" in ended.stderr


def why_not_isolated(user: UntrustedUser, variables: dict[str, str], workspace: Path) -> str | None:
    """Return why no command can run as that user at the path of the workspace, None where one can."""
    if os.geteuid() != 0:
        problem = "the verifier does not run as root"
    elif not Path("/proc/self/task").is_dir():
        problem = "/proc is not mounted"
    elif not _starts(sys.executable, user, variables):
        problem = f"another user cannot start {sys.executable}"
    elif not _enters(workspace.absolute().parent, user, variables):
        return (
            f"another user cannot enter {workspace.absolute().parent}, so what was handed in cannot run; "
            "give the verifier a workspace in a folder that every user can enter, "
            "or add --same-user where what is handed in is trusted"
        )
    else:
        return None
    return (
        f"{problem}, so what was handed in cannot run as another user and could change its own reward; "
        "run the verifier as root with a Python that every user can start, "
        "or add --same-user where what is handed in is trusted"
    )


def why_no_python(
    commands: Iterable[str], user: UntrustedUser | None, variables: dict[str, str]
) -> str | None:
    """Return why commands of a task lack the Python that they name, None where they have it.

    Commands that name none, such as `bash reproduce.sh`, must find the `python` and `python3` that root does.
    Without a user, they run as the verifier.
    """
    named = sorted({name for command in commands for name in PYTHON.findall(command)})
    for name in named or ("python", "python3"):
        path = shutil.which(name, path=variables["PATH"])
        if path is None and named:
            problem = f"there is no program {name} on PATH"
        elif path is None or user is None or _finds(name, user, variables) == path:
            continue
        else:
            problem = f"another user cannot start {path}"
        return (
            f"{problem}, which a command of the task needs; "
            f"run the verifier with a PATH on which every user finds {name}"
        )
    return None


def _finds(name: str, user: UntrustedUser, variables: dict[str, str]) -> str | None:
    """The path at which a user finds a Python that starts."""
    if not _starts(name, user, variables):
        return None
    ended = _run(["/bin/sh", "-c", 'command -v "$0"', name], user, variables)
    return None if ended is None else ended.stdout.decode(errors="replace").strip()


def _starts(python: str, user: UntrustedUser, variables: dict[str, str]) -> bool:
    ended = _run([python, "-c", ""], user, variables)
    return ended is not None and ended.returncode == 0


def _enters(folder: Path, user: UntrustedUser, variables: dict[str, str]) -> bool:
    """Whether a user can reach what is in a folder."""
    program = "import os, sys; os.stat(os.path.join(sys.argv[1], '.'))"
    ended = _run([sys.executable, "-I", "-c", program, str(folder)], user, variables)
    return ended is not None and ended.returncode == 0


def _run(
    command: list[str], user: UntrustedUser, variables: dict[str, str]
) -> subprocess.CompletedProcess[bytes] | None:
    """Run a trusted command as a user; None where the user cannot start it."""
    with suppress(OSError):
        return subprocess.run(
            command,
            cwd="/",
            env=variables,
            user=user.number,
            group=user.number,
            extra_groups=[],
            capture_output=True,
            check=False,
        )
    return None


def give_folder(folder: Path, user: UntrustedUser) -> None:
    """Make a user the owner of a folder; the folder itself comes last, so nothing changes meanwhile."""
    number = user.number
    for _, folders, files, descriptor in os.fwalk(folder, topdown=False, follow_symlinks=False):
        for name in (*folders, *files):
            os.chown(name, number, number, dir_fd=descriptor, follow_symlinks=False)
    folder.chmod(0o700)
    os.chown(folder, number, number, follow_symlinks=False)


def end_processes(users: Iterable[UntrustedUser], seconds: float = ENDING_SECONDS) -> None:
    """Kill every process of these users, and return when none of their threads runs."""
    deadline = time.monotonic() + seconds
    for user in users:
        _kill_all(user)
        while running := list(processes_of(user.number)):
            if time.monotonic() > deadline:
                raise NotIsolated(f"{len(running)} processes of what was handed in cannot be ended")
            time.sleep(0.01)
            _kill_all(user)


def _kill_all(user: UntrustedUser) -> None:
    """Signal all processes of a user at once, so that none escapes by starting others."""
    try:
        child = os.fork()
    except OSError:  # the user's processes leave no room for another one
        for process in processes_of(user.number):
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        return
    if child == 0:
        try:
            os.setgroups([])
            os.setresgid(user.killer, user.killer, user.killer)
            os.setresuid(user.killer, user.number, user.killer)
            os.kill(-1, signal.SIGKILL)
        finally:
            os._exit(0)
    os.waitpid(child, 0)


def processes_of(user: int) -> Iterator[int]:
    """Yield the processes of a user that have a running thread, even where their first one has ended."""
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            status = (process / "status").read_text(errors="replace")
            [numbers] = [line.split()[1:] for line in status.splitlines() if line.startswith("Uid:")]
            if str(user) in numbers and any(_runs(thread) for thread in (process / "task").iterdir()):
                yield int(process.name)


def _runs(thread: Path) -> bool:
    with suppress(OSError):
        return (thread / "stat").read_text(errors="replace").rpartition(")")[2].split()[0] not in DEAD
    return False
