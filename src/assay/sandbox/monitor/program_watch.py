"""Records which programs and connections start in a session's sandbox.

The kernel pauses each such system call until the listener, one process for all sandboxes of this harness, has
logged it (seccomp user notification, Linux 5.5 and later). Other system calls keep their speed.

What it does not cover:

- A thread that changes a program's arguments between our read and the kernel's: they are evidence, no proof.
- Work inside one program: Python code that reads a git history starts no other program.
- A copied program has the name of its copy.
- Datagrams by `sendmsg` on a socket that was never connected.
"""

from __future__ import annotations

import errno
import json
import os
import socket
import subprocess
import tempfile
import threading
from functools import cache
from pathlib import Path

from assay.errors import SandboxError
from assay.sandbox.host.system import base_python_of
from assay.sandbox.monitor.observations import Observations, read_observations
from assay.sandbox.session.resident_client import ResidentClient

SWITCH = "ASSAY_WATCH"
"""Environment variable: `off` disables the watch; otherwise it is on where the kernel supports it."""
_SOURCE = Path(__file__).with_name("listener.py")
PROGRAM_CALLS = ("execve", "execveat")
_CALLS = (*PROGRAM_CALLS, "connect", "sendto")
LONGEST_WORD = 160
"""Bytes of an argument that the listener reads."""
_ANSWER_SECONDS = 30.0


class ProgramWatch:
    """The log of one sandbox's programs and connections."""

    def __init__(self, log: int) -> None:
        self._log = log

    def read(self) -> Observations:
        """Return all observations until now."""
        size = os.fstat(self._log).st_size
        return read_observations(os.pread(self._log, size, 0))

    def check(self) -> None:
        """Raise if the listener process has ended: without it no program can start."""
        check_listener()

    def close(self) -> None:
        """Close the log."""
        os.close(self._log)


def start_program_watch(resident: ResidentClient) -> ProgramWatch | str:
    """Watch everything that starts in a sandbox from now on, or return the reason why that is impossible."""
    if os.environ.get(SWITCH) == "off":
        return f"disabled by {SWITCH}"
    program = notification_filter()
    if program is None:
        return "libseccomp is not installed"
    request = {"do": "watch", "program": program.hex(), "number": call_number("seccomp")}
    with resident.send(request) as pending:
        report, listener = pending.next_report(seconds=_ANSWER_SECONDS)
    if listener is None:
        return f"the kernel refuses: {os.strerror(report.get('error', errno.EINVAL))}"
    log = os.memfd_create("assay-watch", os.MFD_CLOEXEC)
    try:
        _listener_process(os.getpid()).add_sandbox(listener, log)
    except BaseException:
        os.close(log)
        raise
    finally:
        os.close(listener)
    return ProgramWatch(log)


def check_listener() -> None:
    """Raise if the listener process has ended: without it no program can start in a watched sandbox."""
    if (code := _listener_process(os.getpid()).process.poll()) is not None:
        raise SandboxError(
            f"the process that watches sandboxes ended with code {code}", hint=f"set {SWITCH}=off"
        )


def control_descriptor() -> int:
    """Return the descriptor over which the listener process gets the listeners of sandboxes."""
    return _listener_process(os.getpid()).control_descriptor


@cache
def notification_filter(calls: tuple[str, ...] = _CALLS) -> bytes | None:
    """Return the filter that reports system calls, or None if libseccomp is not installed."""
    try:
        import pyseccomp
    except (ImportError, RuntimeError, OSError, AttributeError):
        return None
    program = pyseccomp.SyscallFilter(pyseccomp.ALLOW)
    for name in calls:
        with_address = [pyseccomp.Arg(4, pyseccomp.NE, 0)] if name == "sendto" else []
        program.add_rule(pyseccomp.NOTIFY, name, *with_address)
    with tempfile.TemporaryFile() as file:
        program.export_bpf(file)
        file.seek(0)
        return file.read()


def call_number(name: str) -> int:
    """Return the number of a system call on this machine."""
    import pyseccomp

    return int(pyseccomp.resolve_syscall(pyseccomp.system_arch(), name))


class _ListenerProcess:
    """The listener process and its control socket; it ends with this process."""

    def __init__(self) -> None:
        self._control, child_socket = socket.socketpair()
        self._lock = threading.Lock()
        names = json.dumps({call_number(name): name for name in _CALLS})
        with child_socket:
            self.process = subprocess.Popen(
                [
                    str(base_python_of(None).program),
                    "-I",
                    "-S",
                    str(_SOURCE),
                    str(child_socket.fileno()),
                    names,
                ],
                pass_fds=[child_socket.fileno()],
                stdin=subprocess.DEVNULL,
                env={},
                cwd="/",
                process_group=0,  # only the harness handles an interrupt at the terminal
            )

    @property
    def control_descriptor(self) -> int:
        """Descriptor of the control socket."""
        return self._control.fileno()

    def add_sandbox(self, listener: int, log: int) -> None:
        """Hand the listener of one more sandbox to the process."""
        with self._lock:
            socket.send_fds(self._control, [b"s"], [listener, log])


_start_lock = threading.Lock()


@cache
def _start_listener_process(_: int) -> _ListenerProcess:
    return _ListenerProcess()


def _listener_process(pid: int) -> _ListenerProcess:
    with _start_lock:
        return _start_listener_process(pid)
