"""The watch over a resident sandbox: which programs are started in it, which connections are tried.

The kernel stops each such system call until the watcher, one process for all sandboxes of this harness, has
looked at it and let it go on (seccomp user notification, Linux 5.5 and later). Nothing else is slowed down.

What it does not cover:

- A thread that changes a program's words between our look and the kernel's: words are evidence, not proof.
- What a program does by itself: a history read by Python's own code starts no program.
- A program copied to another name goes under that name.
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
from assay.sandbox.host.system import interpreter_of
from assay.sandbox.monitor.observations import Watched, read_watch
from assay.sandbox.session.resident_client import Resident

SWITCH = "ASSAY_WATCH"
"""`off` switches the watch off; anything else, or nothing, leaves it on wherever it works."""
_SOURCE = Path(__file__).with_name("listener.py")
_CALLS = ("execve", "execveat", "connect", "sendto")
_ANSWER_SECONDS = 30.0


class Watch:
    """What the watcher knows of one sandbox."""

    def __init__(self, log: int) -> None:
        self._log = log

    def read(self) -> Watched:
        """Everything seen until now."""
        size = os.fstat(self._log).st_size
        return read_watch(os.pread(self._log, size, 0))

    def check(self) -> None:
        """Raise where the watcher is gone: without it no program starts."""
        if (code := _watcher(os.getpid()).process.poll()) is not None:
            raise SandboxError(
                f"the process that watches sandboxes ended with code {code}", hint=f"set {SWITCH}=off"
            )

    def close(self) -> None:
        """Forget what was seen."""
        os.close(self._log)


def begin_watch(resident: Resident) -> Watch | str:
    """Watch everything that starts in a sandbox from now on, or say why that cannot be."""
    if os.environ.get(SWITCH) == "off":
        return f"switched off by {SWITCH}"
    program = watch_program()
    if program is None:
        return "libseccomp is not installed"
    request = {"do": "watch", "program": program.hex(), "number": _number("seccomp")}
    with resident.ask(request) as errand:
        report, listener = errand.hear(seconds=_ANSWER_SECONDS)
    if listener is None:
        return f"the kernel refuses: {os.strerror(report.get('error', errno.EINVAL))}"
    log = os.memfd_create("assay-watch", os.MFD_CLOEXEC)
    try:
        _watcher(os.getpid()).hand(listener, log)
    except BaseException:
        os.close(log)
        raise
    finally:
        os.close(listener)
    return Watch(log)


@cache
def watch_program() -> bytes | None:
    """The filter that reports instead of refusing, or None where libseccomp is not installed."""
    try:
        import pyseccomp
    except (ImportError, RuntimeError, OSError, AttributeError):
        return None
    program = pyseccomp.SyscallFilter(pyseccomp.ALLOW)
    for name in _CALLS:
        with_address = [pyseccomp.Arg(4, pyseccomp.NE, 0)] if name == "sendto" else []
        program.add_rule(pyseccomp.NOTIFY, name, *with_address)
    with tempfile.TemporaryFile() as file:
        program.export_bpf(file)
        file.seek(0)
        return file.read()


def _number(name: str) -> int:
    import pyseccomp

    return int(pyseccomp.resolve_syscall(pyseccomp.system_arch(), name))


class _Watcher:
    """The watcher and the way to it; it ends with this process."""

    def __init__(self) -> None:
        self._control, theirs = socket.socketpair()
        self._lock = threading.Lock()
        names = json.dumps({_number(name): name for name in _CALLS})
        with theirs:
            self.process = subprocess.Popen(
                [str(interpreter_of(None).program), "-I", "-S", str(_SOURCE), str(theirs.fileno()), names],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                env={},
                cwd="/",
                process_group=0,  # an interrupt at the terminal is for the harness to carry out
            )

    def hand(self, listener: int, log: int) -> None:
        """Give it one more sandbox."""
        with self._lock:
            socket.send_fds(self._control, [b"s"], [listener, log])


_first = threading.Lock()


@cache
def _start(_: int) -> _Watcher:
    return _Watcher()


def _watcher(pid: int) -> _Watcher:
    with _first:
        return _start(pid)
