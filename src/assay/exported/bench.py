"""Folders for one verification, and commands that run in them, trusted and not."""

from __future__ import annotations

import errno
import math
import os
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any, BinaryIO, Literal, NamedTuple

from assay.exported.leftovers import attributes, open_folders, remove_leftovers
from assay.exported.usage import MemorySamples, reap, reap_orphans, use_at_end
from assay.exported.users import (
    LAUNCHER,
    NotIsolated,
    UntrustedUser,
    end_processes,
    give_folder,
    untrusted_users,
    why_no_python,
    why_not_isolated,
)
from assay.exported.working_folder import WorkingFolder
from assay.rules.running import VARIABLES
from assay.rules.sparse_files import copy_data, too_large

RunsAs = Literal["verifier", "submission", "solution"]
"""Whose rights a command has: the verifier's, or those of a user that can do nothing else."""
NOT_PLAIN = (errno.ELOOP, errno.ENOTDIR, errno.ENOENT, errno.ENXIO)
"""Errors for a path that leads through a link, or at whose end is no regular file."""
POLL_SECONDS = 0.01
MOST_OUTPUT = 16 << 20
"""Bytes of each stream of a command that are read."""


class Ended(NamedTuple):
    """How a command ended."""

    returncode: int
    timed_out: bool
    seconds: float
    peak_mb: float
    """The highest memory of its processes that were there at the end, added up, or of one that had ended."""
    killed: bool
    """Whether the kernel ended it, as it does at a limit on processor time."""
    cpu_seconds: float = 0.0
    """Processor time of its processes that were there at the end, with those that they waited for."""

    def is_over(self, cpu_seconds: float | None) -> bool:
        """Whether it needed more processor time than this, or the kernel ended it for that."""
        return self.killed or self.cpu_seconds > (cpu_seconds or math.inf) + 1


def plain_files(folder: Path) -> list[str]:
    """Every regular file below a folder; links are left out, and so is what they lead to."""
    paths = (Path(parent, name) for parent, _, names in os.walk(folder) for name in names)
    plain = (path for path in paths if path.is_file() and not path.is_symlink())
    return sorted(path.relative_to(folder).as_posix() for path in plain)


def copy(source: Path, target: Path, names: Iterable[str]) -> Path:
    """A folder with those of the named files that are plain ones in the source; programs stay executable."""
    return copy_as(source, target, {name: name for name in set(names) & set(plain_files(source))})


def copy_as(source: Path, target: Path, names: Mapping[str, str]) -> Path:
    """A folder with plain files of the source under other names; programs stay executable."""
    target.mkdir(parents=True, exist_ok=True)
    for name, origin in sorted(names.items()):
        file = open_plain(source, origin)
        if file is None:
            continue
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        with file, (target / name).open("wb") as copied:
            status = os.fstat(file.fileno())
            copy_data(file.fileno(), copied, status.st_size)
            if status.st_mode & 0o111:
                (target / name).chmod(0o755)
    return target


class TakenFiles(NamedTuple):
    """What was taken of the files that an untrusted command wrote."""

    folder: Path
    refused: dict[str, str]
    """File → why it was not taken."""


def take_written(source: Path, target: Path, names: Iterable[str], limits: SimpleNamespace) -> TakenFiles:
    """Copy those of the named files that are plain ones and within the limits of the task."""
    bytes_left = limits.total_bytes
    refused: dict[str, str] = {}
    taken: list[str] = []
    for name in dict.fromkeys(names):
        file = open_plain(source, name)
        if file is None:
            continue
        with file:
            size = os.fstat(file.fileno()).st_size
        reason = too_large(size, min(limits.file_bytes, bytes_left))
        if reason is None:
            bytes_left -= size
            taken.append(name)
        else:
            refused[name] = reason
    return TakenFiles(copy(source, target, taken), refused)


def open_plain(folder: Path, name: str) -> BinaryIO | None:
    """A regular file below a folder, None if there is none; no link on the way is followed."""
    descriptor = -1
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        *parents, last = name.split("/")
        for parent in parents:
            outer = descriptor
            descriptor = os.open(parent, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=outer)
            os.close(outer)
        opened = os.open(last, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=descriptor)
    except OSError as error:
        if error.errno in NOT_PLAIN:
            return None
        raise
    finally:
        if descriptor >= 0:
            os.close(descriptor)
    file = os.fdopen(opened, "rb")
    if stat.S_ISREG(os.fstat(opened).st_mode):
        return file
    file.close()
    return None


def read(path: Path) -> bytes:
    """What a command wrote into a file, as far as it is read."""
    with path.open("rb") as file:
        return file.read(MOST_OUTPUT)


class Bench:
    """A private scratch folder, the tests, and the users who run what was handed in and the solution."""

    def __init__(self, folder: Path, tests: Path, workspace: Path, *, same_user: bool = False) -> None:
        self.folder, self.tests = folder, tests
        self.data = Path(tempfile.mkdtemp())
        """Data for one run; everything else in a scratch folder only the verifier can read."""
        self.data.chmod(0o755)
        self.users = {} if same_user else untrusted_users()
        self.problem: str | None = None
        """Why untrusted commands are not kept apart; with a problem, no reward is given."""
        folder.chmod(0o700)
        if os.geteuid() == 0:
            tests.chmod(0o700)
        self._working = WorkingFolder(workspace)
        self._open_folders: dict[Path, dict[str, bytes]] = {}
        if self.users:
            self.problem = why_not_isolated(self.users["submission"], _variables(), workspace)
        if self.users and self.problem is None:
            self._open_folders = {folder: attributes(folder) for folder in open_folders()}

    def require_python(self, commands: Iterable[str]) -> None:
        """Decide nothing where untrusted commands do not find the Python that they name."""
        if self.problem is None:
            self.problem = why_no_python(commands, self.users.get("submission"), _variables())

    def put_workspace_away(self) -> None:
        """Let no untrusted command read what the agent left; the verifier has copied what counts."""
        if self.problem is None:
            try:
                for needed in (self.folder, self.tests, Path(sys.prefix)):
                    self._working.refuse(needed)
                self._working.put_away()
            except (NotIsolated, OSError) as error:
                self.problem = str(error)

    def close(self) -> None:
        """Put the workspace back, and remove what this bench made outside its folder."""
        with suppress(NotIsolated):
            self._end_untrusted()
        shutil.rmtree(self.data)
        self._working.restore()

    def working_folder(self) -> Path:
        """An empty folder at the path of the workspace, for one untrusted command; what was there is gone."""
        if self.problem is not None:
            raise NotIsolated(self.problem)
        try:
            return self._working.renew()
        except (NotIsolated, OSError) as error:
            self.problem = f"the folder of an earlier command cannot be emptied: {error}"
            raise NotIsolated(self.problem) from error

    def start(
        self,
        command: list[str],
        folder: Path,
        *,
        runs_as: RunsAs,
        variables: dict[str, str] | None = None,
        **options: Any,
    ) -> subprocess.Popen[bytes]:
        """Start a command in a folder; an untrusted one is another user, who owns the folder."""
        settings: dict[str, Any] = {
            "stdin": subprocess.DEVNULL,
            "stdout": subprocess.DEVNULL,
            "stderr": subprocess.DEVNULL,
            "cwd": folder,
            "start_new_session": True,
            "env": {**_variables(), "HOME": str(folder), **(variables or {})},
        }
        if runs_as != "verifier":
            if self.problem is not None:
                raise NotIsolated(self.problem)
            if self.users:
                settings |= self._hand_over(folder, self.users[runs_as])
                command = [sys.executable, "-I", "-c", LAUNCHER.read_text(), *command]
        return subprocess.Popen(command, **{**settings, **options})

    def _hand_over(self, folder: Path, user: UntrustedUser) -> dict[str, Any]:
        """Give a folder to an untrusted user while none of their processes runs; return how to become one.

        What an earlier command left elsewhere is removed.
        """
        self._end_untrusted()
        remove_leftovers({user.number for user in self.users.values()}, self._open_folders)
        give_folder(folder, user)
        return {"user": user.number, "group": user.number, "extra_groups": [], "umask": 0o077}

    def _end_untrusted(self) -> None:
        if self.users and os.geteuid() == 0:
            try:
                end_processes(self.users.values())
            except NotIsolated as error:
                self.problem = str(error)
                raise

    def sample_memory(self, process: subprocess.Popen[bytes]) -> MemorySamples:
        """Watch the memory of a command until the samples are stopped."""
        return MemorySamples(process.pid, {user.number for user in self.users.values()})

    def end(self, process: subprocess.Popen[bytes], seconds: float) -> Ended:
        """Wait for at most so long, then end the command and whatever else it started."""
        started = time.monotonic()
        timed_out = not _has_ended(process, started + seconds)
        elapsed = time.monotonic() - started
        users = {user.number for user in self.users.values()}
        peak, cpu_seconds = use_at_end(process.pid, users)
        peak = max(peak, reap(process, wait=False))
        status = process.returncode
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        self._end_untrusted()
        peak = max(peak, reap(process, wait=True), reap_orphans(process.pid, users))
        at_limit = {-signal.SIGXCPU, 128 + signal.SIGXCPU, -signal.SIGKILL, 128 + signal.SIGKILL}
        return Ended(process.returncode, timed_out, elapsed, peak, status in at_limit, cpu_seconds)


def _has_ended(process: subprocess.Popen[bytes], deadline: float) -> bool:
    """Wait for a process to end; it stays in the list of processes, with the time that it used."""
    while process.returncode is None:
        if os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG) is not None:
            break
        if time.monotonic() >= deadline:
            return False
        time.sleep(POLL_SECONDS)
    return True


def limited(command: str, cpu_seconds: float | None) -> list[str]:
    """A shell command whose processes may each use so much processor time."""
    if cpu_seconds is None:
        return ["/bin/bash", "-c", command]
    seconds = max(1, round(cpu_seconds + 0.5))
    return ["/bin/bash", "-c", f"ulimit -S -t {seconds}; ulimit -H -t {seconds + 1}\n{command}"]


def _variables() -> dict[str, str]:
    return {**VARIABLES, "PATH": os.environ.get("PATH", os.defpath)}
