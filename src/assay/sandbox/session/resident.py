"""The process that serves an attempt's commands from inside its sandbox.

It is sent in as text and runs under Assay's own Python (see `own_python`), with the standard library only.
Each request comes over one socket with the descriptors it concerns: the ends of a command's streams, and a
report socket on which the command's end is told and on which a word (or silence for ever) from the harness
kills the command.

What an agent does must not end this process or keep it from answering:

- It is the first process of its pid namespace, so no signal from inside reaches it, and it cannot be traced.
- The system-call filter keeps its limits, scheduling and priority out of reach, and /proc/1 is covered.
- A request that cannot be carried out is answered with an error. No request ends the process.
- It waits for a command to begin only where nothing else runs inside: whoever does may stop the new process
  before it has begun.

What this does not cover: the kernel may kill this process when the sandbox's memory is used up. And without
libseccomp its limits and its scheduling can be changed from inside. In both cases the harness takes the
workspace from outside, and the attempt counts as handed in as it was.
"""

from __future__ import annotations

import array
import contextlib
import ctypes
import errno
import json
import os
import resource
import selectors
import signal
import socket
import stat
import subprocess
import sys
from typing import Any, NoReturn

WORKSPACE = "/workspace"
NOT_DUMPABLE = 4  # PR_SET_DUMPABLE, with 0
SET_FILTER, NEW_LISTENER, WAIT_KILLABLE = 1, 1 << 3, 1 << 5  # of the system call seccomp
DESCRIPTORS_MOST = 8
EASY_TO_KILL = "500"  # where memory runs out, a command goes before this process
SWEEPS = 100
OWN_DESCRIPTORS_MOST = 1024  # the soft limit that the harness sets
FAILURE_MOST = 4096
SHOWN = 300
RESTORED = (signal.SIGPIPE, signal.SIGXFSZ, signal.SIGCHLD, signal.SIGINT)


class Command:
    """A started command: the socket that reports its end, and the pipe that says why it could not start."""

    def __init__(self, report: socket.socket, failure: int | None) -> None:
        self.report = report
        self.failure = failure
        """None where the command has begun for certain."""

    def outcome(self, status: int) -> dict[str, Any]:
        """What to tell once it was reaped: why it never began, or how it ended."""
        if self.failure is not None:
            with contextlib.suppress(OSError, ValueError):
                told = json.loads(os.read(self.failure, FAILURE_MOST))
                return {"error": int(told["error"]), "path": told["path"]}
        return {"ended": os.waitstatus_to_exitcode(status)}


class Resident:
    """Starts, reaps and kills commands; opens files for the harness."""

    def __init__(self, control: socket.socket) -> None:
        self.control = control
        self.selector = selectors.DefaultSelector()
        self.commands: dict[int, Command] = {}

    def serve(self) -> None:
        """Answer until the harness is gone; the namespace dies with this process."""
        wake_read, wake_write = os.pipe()
        os.set_blocking(wake_read, False)
        os.set_blocking(wake_write, False)
        signal.set_wakeup_fd(wake_write, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        # Without a handler the first process of a namespace gets no signal from inside it.
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        self.selector.register(self.control, selectors.EVENT_READ, self.request)
        self.selector.register(wake_read, selectors.EVENT_READ, lambda: self.reap(wake_read))
        self.control.sendall(b"\n")
        while True:
            for key, _ in self.selector.select():
                # Whatever an agent brings about here, the next request is served.
                with contextlib.suppress(Exception):
                    key.data()

    def request(self) -> None:
        """Read one length-prefixed request and its descriptors, and carry it out."""
        room = socket.CMSG_SPACE(DESCRIPTORS_MOST * array.array("i").itemsize)
        try:
            head, ancillary, _, _ = self.control.recvmsg(4, room)
        except OSError:
            os._exit(0)
        if not head:
            os._exit(0)
        descriptors = array.array("i")
        for _, _, data in ancillary:
            descriptors.frombytes(data)
        head += receive(self.control, 4 - len(head))
        content = receive(self.control, int.from_bytes(head, "big"))
        report = socket.socket(fileno=descriptors.pop())
        try:
            self.carry_out(json.loads(content), report, descriptors)
        finally:
            for descriptor in descriptors:
                with contextlib.suppress(OSError):
                    os.close(descriptor)

    def carry_out(
        self, request: dict[str, Any], report: socket.socket, descriptors: array.array[int]
    ) -> None:
        """Do what is asked; an error of any kind is the answer."""
        try:
            getattr(self, "do_" + request["do"])(request, report, descriptors)
        except Exception as error:
            number = error.errno if isinstance(error, OSError) else None
            path = error.filename if isinstance(error, OSError) else None
            say(report, {"error": number or errno.EINVAL, "path": path or request.get("path")})
            report.close()

    def do_exec(self, request: dict[str, Any], report: socket.socket, streams: array.array[int]) -> None:
        """Start a command in a session of its own."""
        self.start(request, list(streams), report)

    def do_terminal(self, request: dict[str, Any], report: socket.socket, _: array.array[int]) -> None:
        """Start a command on a new terminal of this sandbox and hand the terminal's other side out."""
        import pty

        ours, theirs = pty.openpty()
        try:
            pid = self.start(request, [theirs] * 3, report)
            say(report, {"started": pid}, ours)
        finally:
            os.close(ours)
            os.close(theirs)

    def start(self, request: dict[str, Any], streams: list[int], report: socket.socket) -> int:
        """Start a command as a child of this process."""
        self.reap(None)
        if request["do"] == "exec" and len(processes()) == 1:
            pid, failure = spawn(request, streams), None
        else:
            pid, failure = fork(request, streams)
        self.commands[pid] = Command(report, failure)
        self.selector.register(report, selectors.EVENT_READ, lambda: self.end(pid))
        return pid

    def end(self, pid: int) -> None:
        """Kill a command with its session and its children; its end is told when it is reaped."""
        if pid not in self.commands:
            return
        if not self.commands[pid].report.recv(1):
            self.forget(pid)
        for _ in range(SWEEPS):
            family = descendants(pid)
            if not family:
                return
            for member in family:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(member, signal.SIGKILL)
            self.reap(None)

    def forget(self, pid: int) -> None:
        """Nobody waits for this command any more."""
        command = self.commands.pop(pid)
        self.selector.unregister(command.report)
        command.report.close()
        if command.failure is not None:
            os.close(command.failure)

    def reap(self, wake: int | None) -> None:
        """Collect everything that ended, ours or orphaned, and tell of it."""
        if wake is not None:
            with contextlib.suppress(BlockingIOError):
                os.read(wake, 4096)
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            if pid in self.commands:
                say(self.commands[pid].report, self.commands[pid].outcome(status))
                self.forget(pid)

    def do_open(self, request: dict[str, Any], report: socket.socket, _: array.array[int]) -> None:
        """Open a regular file inside the namespace and hand it out."""
        path = os.path.join(WORKSPACE, request["path"])  # noqa: PTH118
        flags = os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY
        if request["write"]:
            flags |= os.O_WRONLY | os.O_CREAT | os.O_TRUNC
            os.makedirs(os.path.dirname(path), exist_ok=True)  # noqa: PTH103, PTH120
        if os.path.isdir(path):  # noqa: PTH112
            raise IsADirectoryError(21, "is a directory", request["path"])
        descriptor = os.open(path, flags, 0o644)
        try:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise PermissionError(13, "is not a regular file", request["path"])
            say(report, {"opened": True}, descriptor)
            report.close()
        finally:
            os.close(descriptor)

    def do_workspace(self, _: dict[str, Any], report: socket.socket, __: array.array[int]) -> None:
        """Hand the workspace's folder out."""
        descriptor = os.open(WORKSPACE, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        say(report, {"opened": True}, descriptor)
        os.close(descriptor)
        report.close()

    def do_listen(self, request: dict[str, Any], report: socket.socket, _: array.array[int]) -> None:
        """Hand out a socket that listens on this sandbox's own loopback: who accepts sits outside."""
        with socket.create_server(("127.0.0.1", request["port"]), backlog=512) as listener:
            say(report, {"opened": True}, listener.fileno())
        report.close()

    def do_watch(self, request: dict[str, Any], report: socket.socket, _: array.array[int]) -> None:
        """Put every later process under a filter whose listener is handed out."""
        listener = watched_by(bytes.fromhex(request["program"]), request["number"])
        say(report, {"opened": True}, listener)
        os.close(listener)
        report.close()

    def do_quiet(self, _: dict[str, Any], report: socket.socket, __: array.array[int]) -> None:
        """Kill every process but this one."""
        while len(processes()) > 1:
            with contextlib.suppress(ProcessLookupError):
                os.kill(-1, signal.SIGKILL)
            self.reap(None)
        say(report, {"quiet": True})
        report.close()


class Program(ctypes.Structure):
    """The kernel's sock_fprog."""

    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_void_p))


def watched_by(program: bytes, number: int) -> int:
    """Load a filter on this process and what it starts; the descriptor hears of what the filter names."""
    call = ctypes.CDLL(None, use_errno=True).syscall
    code = ctypes.create_string_buffer(program, len(program))
    loaded = Program(len(program) // 8, ctypes.addressof(code))
    for flags in (NEW_LISTENER | WAIT_KILLABLE, NEW_LISTENER):  # kernels before 5.19 lack the second
        listener = int(call(number, SET_FILTER, flags, ctypes.byref(loaded)))
        if listener >= 0:
            return listener
    raise OSError(ctypes.get_errno(), "no listener")


def spawn(request: dict[str, Any], streams: list[int]) -> int:
    """Start a command and wait until it has begun: quicker than `fork`, by not copying this process.

    For a sandbox in which nothing else runs, so that nobody can stop the new process before it has begun.
    """
    if not request["command"][0]:
        raise FileNotFoundError(errno.ENOENT, "no such program")
    process = subprocess.Popen(
        request["command"],
        stdin=streams[0],
        stdout=streams[1],
        stderr=streams[2],
        env=request["variables"],
        cwd=request["cwd"],
        start_new_session=True,
    )
    process.returncode = 0  # reaped with everything else, so Popen must not wait for it
    limit(process.pid, request.get("cpu_seconds"))
    return process.pid


def fork(request: dict[str, Any], streams: list[int]) -> tuple[int, int]:
    """Fork a child that becomes the command, and do not wait until it has.

    Its process, and the pipe that says why it could not begin.
    """
    failure, tell = os.pipe()
    try:
        pid = os.fork()
    except OSError:
        os.close(failure)
        os.close(tell)
        raise
    if pid == 0:
        become(request, streams, tell)
    os.close(tell)
    os.set_blocking(failure, False)
    return pid, failure


def become(request: dict[str, Any], streams: list[int], tell: int) -> NoReturn:
    """Turn this new process into a command; where that fails, say why and end."""
    path = None
    number = errno.EINVAL
    try:
        os.setsid()
        signal.set_wakeup_fd(-1)
        for restored in RESTORED:
            signal.signal(restored, signal.SIG_DFL)
        for place, stream in enumerate(streams):
            os.dup2(stream, place)
        tell = os.dup2(tell, 3, inheritable=False)
        os.closerange(4, OWN_DESCRIPTORS_MOST)
        if request["do"] == "terminal":
            import fcntl
            import termios

            fcntl.ioctl(0, termios.TIOCSCTTY, 0)
        limit(os.getpid(), request.get("cpu_seconds"))
        path = request["cwd"]
        os.chdir(path)
        path = request["command"][0]
        if not path:
            raise FileNotFoundError(errno.ENOENT, "no such program")
        os.execvpe(path, request["command"], request["variables"])
    except OSError as error:
        number = error.errno or number
    finally:
        os.write(tell, json.dumps({"error": number, "path": str(path)[:SHOWN]}).encode())
        os._exit(127)


def limit(pid: int, cpu_seconds: int | None) -> None:
    """What holds for a command and not for the first process."""
    with contextlib.suppress(OSError, ValueError):
        with open(f"/proc/{pid}/oom_score_adj", "w") as file:  # noqa: PTH123 (pathlib is slow to import)
            file.write(EASY_TO_KILL)
        if cpu_seconds:
            resource.prlimit(pid, resource.RLIMIT_CPU, (cpu_seconds, cpu_seconds + 1))


def control_socket(name: str) -> socket.socket:
    """The way to the harness: an inherited descriptor, or in a container a path."""
    if name.isdigit():
        return socket.socket(fileno=int(name))
    control = socket.socket(socket.AF_UNIX)
    control.connect(name)
    return control


def processes() -> list[int]:
    """Every process of this namespace."""
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]  # noqa: PTH208


def descendants(root: int) -> list[int]:
    """A command, everything in its session and everything below it."""
    parents: dict[int, tuple[int, int]] = {}
    for pid in processes():
        with contextlib.suppress(OSError):
            with open(f"/proc/{pid}/stat") as file:  # noqa: PTH123
                state, parent, _, session = file.read().rpartition(")")[2].split()[:4]
            if state != "Z":
                parents[pid] = (int(parent), int(session))
    family = {pid for pid, (_, session) in parents.items() if session == root} | ({root} & parents.keys())
    while more := {pid for pid, (parent, _) in parents.items() if parent in family} - family:
        family |= more
    return sorted(family)


def receive(source: socket.socket, size: int) -> bytes:
    """Exactly so many bytes."""
    data = bytearray()
    while len(data) < size:
        chunk = source.recv(size - len(data))
        if not chunk:
            os._exit(0)
        data += chunk
    return bytes(data)


def say(report: socket.socket, message: dict[str, Any], descriptor: int | None = None) -> None:
    """Send one line, with a descriptor where there is one; nobody may be listening."""
    rights = array.array("i", [] if descriptor is None else [descriptor])
    ancillary = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, rights)] if rights else []
    with contextlib.suppress(OSError):
        report.sendmsg([json.dumps(message).encode() + b"\n"], ancillary)


if __name__ == "__main__":
    ctypes.CDLL(None).prctl(NOT_DUMPABLE, 0, 0, 0, 0)
    if len(sys.argv) > 2:
        subprocess.run(["/bin/cp", "-a", f"{sys.argv[2]}/.", WORKSPACE], check=True)
    Resident(control_socket(sys.argv[1])).serve()
