"""Folders for one verification, and commands that run in them, trusted and not."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from assay.rules.running import VARIABLES

OTHER_USER = 64123
MOST_OUTPUT = 16 << 20
"""Bytes of each stream of a command that are read."""


class Ended(NamedTuple):
    """How a command ended."""

    returncode: int
    timed_out: bool
    seconds: float
    peak_mb: float
    """The highest memory of its processes that were there at the end, added up."""
    killed: bool
    """Whether the kernel ended it, as it does at a limit on processor time."""


def plain_files(folder: Path) -> list[str]:
    """Every regular file below a folder; links are left out, and so is what they lead to."""
    paths = (Path(parent, name) for parent, _, names in os.walk(folder) for name in names)
    plain = (path for path in paths if path.is_file() and not path.is_symlink())
    return sorted(path.relative_to(folder).as_posix() for path in plain)


def copy(source: Path, target: Path, names: Iterable[str]) -> Path:
    """A folder with those of the named files that are plain ones in the source; programs stay executable."""
    target.mkdir(parents=True, exist_ok=True)
    for name in set(names) & set(plain_files(source)):
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source / name, target / name)
        if os.access(source / name, os.X_OK):
            (target / name).chmod(0o755)
    return target


def read(path: Path) -> bytes:
    """What a command wrote into a file, as far as it is read."""
    with path.open("rb") as file:
        return file.read(MOST_OUTPUT)


class Bench:
    """A scratch folder, the tests, and the user who runs what was handed in."""

    def __init__(self, folder: Path, tests: Path) -> None:
        self.folder, self.tests = folder, tests
        self.other_user: dict[str, Any] = {}
        if os.geteuid() == 0:
            folder.chmod(0o711)
            tests.chmod(0o700)
            user: dict[str, Any] = {"user": OTHER_USER, "group": OTHER_USER, "extra_groups": []}
            # Where that user cannot even start Python, as with one below /root, no other user can be used.
            with suppress(OSError):
                if subprocess.call([sys.executable, "-c", ""], cwd="/", env=_variables(), **user) == 0:
                    self.other_user = user

    def start(
        self,
        command: list[str],
        folder: Path,
        *,
        trusted: bool,
        variables: dict[str, str] | None = None,
        **options: Any,
    ) -> subprocess.Popen[bytes]:
        """Start a command in a folder; an untrusted one owns the folder and is another user."""
        settings: dict[str, Any] = {
            "stdin": subprocess.DEVNULL,
            "stdout": subprocess.DEVNULL,
            "stderr": subprocess.DEVNULL,
            "cwd": folder,
            "start_new_session": True,
            "env": {**_variables(), "HOME": str(folder), **(variables or {})},
        }
        if not trusted and self.other_user:
            settings |= self.other_user
            for path in (folder, *folder.rglob("*")):
                os.chown(path, OTHER_USER, OTHER_USER)
        return subprocess.Popen(command, **{**settings, **options})

    def end(self, process: subprocess.Popen[bytes], seconds: float) -> Ended:
        """Wait for at most so long, then end the command and whatever else it started."""
        started = time.monotonic()
        timed_out = False
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            timed_out = True
        elapsed, status = time.monotonic() - started, process.poll()
        peak = _peak_mb(process.pid)
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        while strays := list(self._strays()):
            for pid in strays:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
        at_limit = {-signal.SIGXCPU, 128 + signal.SIGXCPU, -signal.SIGKILL, 128 + signal.SIGKILL}
        return Ended(process.wait(), timed_out, elapsed, peak, status in at_limit)

    def _strays(self) -> Iterator[int]:
        for process in Path("/proc").glob("[0-9]*") if self.other_user else ():
            with suppress(OSError):
                status = (process / "status").read_text()
                if f"Uid:\t{OTHER_USER}\t" in status and "State:\tZ" not in status:
                    yield int(process.name)


def limited(command: str, cpu_seconds: float | None) -> list[str]:
    """A shell command whose processes may each use so much processor time."""
    if cpu_seconds is None:
        return ["/bin/bash", "-c", command]
    seconds = max(1, round(cpu_seconds + 0.5))
    return ["/bin/bash", "-c", f"ulimit -S -t {seconds}; ulimit -H -t {seconds + 1}\n{command}"]


def _variables() -> dict[str, str]:
    return {**VARIABLES, "PATH": os.environ.get("PATH", os.defpath)}


def _peak_mb(session: int) -> float:
    """The peaks of the processes of a session that are there, added up."""
    total = 0.0
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError, IndexError, ValueError):
            fields = (process / "stat").read_text().rpartition(")")[2].split()
            if int(fields[3]) == session:
                lines = (process / "status").read_text().splitlines()
                total += sum(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM:"))
    return total
