"""Memory and processor time of an untrusted command, counted from outside.

Three sources are put together, because each misses something: the processes that are there at the end,
samples while the command runs, and what the kernel says of each process that has ended. The last one keeps
the memory of a program that replaced itself by another with `exec`.

What this does not cover: memory that a process has between two samples, if its parent ignores SIGCHLD, so
that nobody waits for it; files in memory that no process maps; and, of the process that the verifier itself
started, memory between two samples that is below the verifier's own.
"""

from __future__ import annotations

import ctypes
import os
import subprocess
import threading
import time
from collections.abc import Collection, Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

SAMPLE_SECONDS = 0.02
"""Between two samples; more where a sample itself takes long."""
SAMPLE_SHARE = 0.1
"""Share of the time that samples may take."""
PR_SET_CHILD_SUBREAPER = 36


class ProcessUse(NamedTuple):
    """What one process uses."""

    pid: int
    state: str
    parent: int
    ticks: int
    memory_mb: float
    peak_mb: float


def adopt_orphans() -> None:
    """Let processes whose parent has ended become children of this one, which then learns what they used."""
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def processes(session: int, users: Collection[int]) -> Iterator[ProcessUse]:
    """Yield the processes of a session or of users.

    A process can leave its session, but it cannot become another user.
    """
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError, LookupError, ValueError):
            fields = (process / "stat").read_text(errors="replace").rpartition(")")[2].split()
            lines = (process / "status").read_text(errors="replace").splitlines()
            status = {name: value.split() for name, _, value in (line.partition(":") for line in lines)}
            if int(fields[3]) == session or int(status["Uid"][0]) in users:
                yield ProcessUse(
                    pid=int(process.name),
                    state=fields[0],
                    parent=int(fields[1]),
                    ticks=sum(int(field) for field in fields[11:15]),
                    memory_mb=_megabytes(status, "VmRSS"),
                    peak_mb=_megabytes(status, "VmHWM"),
                )


def _megabytes(status: dict[str, list[str]], name: str) -> float:
    return int(status.get(name, ["0"])[0]) / 1024


def use_at_end(session: int, users: Collection[int]) -> tuple[float, float]:
    """The peaks of memory in MB and the processor time of processes that are there, added up."""
    found = list(processes(session, users))
    ticks = sum(process.ticks for process in found)
    return sum(process.peak_mb for process in found), ticks / os.sysconf("SC_CLK_TCK")


def reap(process: subprocess.Popen[bytes], *, wait: bool) -> float:
    """Take the exit status of a command, if it has ended; return the most memory of it in MB, 0 if unknown.

    At an `exec`, the kernel counts what the process had before. At the first one that is a copy of this
    process, so a number that is not above this process's own says nothing.
    """
    if process.returncode is not None:
        return 0.0
    pid, status, usage = os.wait4(process.pid, 0 if wait else os.WNOHANG)
    if pid == 0:
        return 0.0
    process.returncode = os.waitstatus_to_exitcode(status)
    peak = usage.ru_maxrss / 1024
    return peak if peak > _own_peak() else 0.0


def _own_peak() -> float:
    lines = Path("/proc/self/status").read_text().splitlines()
    return _megabytes(
        {name: text.split() for name, _, text in (line.partition(":") for line in lines)}, "VmHWM"
    )


def reap_orphans(session: int, users: Collection[int]) -> float:
    """End the wait of processes that nobody else waits for; return the most memory of one of them in MB."""
    peak = 0.0
    for process in processes(session, users):
        if process.state == "Z" and process.parent == os.getpid():
            with suppress(ChildProcessError):
                peak = max(peak, os.wait4(process.pid, os.WNOHANG)[2].ru_maxrss / 1024)
    return peak


class MemorySamples:
    """The most memory of a command's processes at one moment, looked at again and again until it stops."""

    def __init__(self, session: int, users: Collection[int]) -> None:
        self.peak_mb = 0.0
        self._session, self._users = session, users
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def stop(self) -> float:
        """End the samples, and return the most that was seen."""
        self._stopped.set()
        self._thread.join()
        return self.peak_mb

    def _run(self) -> None:
        pause = 0.0
        while not self._stopped.wait(pause):
            started = time.monotonic()
            self._sample()
            pause = max(SAMPLE_SECONDS, (time.monotonic() - started) / SAMPLE_SHARE)

    def _sample(self) -> None:
        """Count memory that processes share once: right after a fork, two processes have the same pages."""
        found = list(processes(self._session, self._users))
        if sum(process.memory_mb for process in found) > self.peak_mb:
            self.peak_mb = max(self.peak_mb, sum(_share_mb(process.pid) for process in found))
        self.peak_mb = max([self.peak_mb, *(process.peak_mb for process in found)])


def _share_mb(pid: int) -> float:
    """The memory of a process, of shared pages its share; 0 where the kernel does not say."""
    with suppress(OSError, ValueError, LookupError):
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
        return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("Pss:"))
    return 0.0
