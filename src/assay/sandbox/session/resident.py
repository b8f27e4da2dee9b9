"""The process inside a sandbox that starts an attempt's commands.

The harness sends it in as text; it runs under Assay's own Python (see `own_python`), with only the standard
library. Each request comes over one socket with its descriptors: the ends of a command's streams, and a
report socket. The resident reports the command's end on that socket; a byte from the harness on it, or its
closing, kills the command.

An agent must not be able to end this process or stop it from answering:

- It is the first process of its pid namespace, so no signal from inside reaches it and nothing can trace it.
- The system-call filter protects its limits, scheduling and priority, and a mount hides /proc/1.
- It answers a failed request with an error. No request ends the process.
- It waits for a command to begin only if nothing else runs inside: another process could stop the new one
  before it begins.

What this does not cover: the kernel may kill this process when the sandbox has no free memory. And without
libseccomp, code inside can change its limits and its scheduling. In both cases the harness reads the
workspace from outside and submits it as it is.
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
import sys

TYPE_CHECKING = False  # `typing` is slow to import
if TYPE_CHECKING:
    from typing import Any, NoReturn

WORKSPACE = "/workspace"
SET_DUMPABLE = 4  # PR_SET_DUMPABLE, with 0
SET_FILTER, NEW_LISTENER, WAIT_KILLABLE = 1, 1 << 3, 1 << 5  # of the system call seccomp
MAX_DESCRIPTORS = 8
OOM_SCORE = "500"  # without free memory, the kernel kills a command before this process
KILL_ROUNDS = 100
MAX_FAILURE_BYTES = 4096
MAX_PATH_CHARACTERS = 300
DEFAULT_SIGNALS = (signal.SIGPIPE, signal.SIGXFSZ, signal.SIGCHLD, signal.SIGINT)


class Command:
    """A started command: the socket for its report, and the pipe with the reason why it could not start."""

    def __init__(self, report: socket.socket, failure_pipe: int) -> None:
        self.report = report
        self.failure_pipe = failure_pipe
        self.failure = b""

    def has_begun(self) -> bool:
        """Return whether the command itself runs; the pipe closes when it begins."""
        with contextlib.suppress(OSError):
            self.failure += os.read(self.failure_pipe, MAX_FAILURE_BYTES)
        return not self.failure

    def outcome(self, status: int) -> dict[str, Any]:
        """Return the report of a reaped command: why it never began, or how it ended."""
        if not self.has_begun():
            with contextlib.suppress(ValueError):
                start_error = json.loads(self.failure)
                return {"error": int(start_error["error"]), "path": start_error["path"]}
        return {"ended": os.waitstatus_to_exitcode(status)}


class Resident:
    """Starts, reaps and kills commands; opens files for the harness."""

    def __init__(self, control: socket.socket) -> None:
        self.control = control
        self.selector = selectors.DefaultSelector()
        self.commands: dict[int, Command] = {}

    def serve(self) -> None:
        """Handle requests until the harness ends; the namespace ends with this process."""
        wake_read, wake_write = os.pipe()
        os.set_blocking(wake_read, False)
        os.set_blocking(wake_write, False)
        signal.set_wakeup_fd(wake_write, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        # Without a handler the first process of a namespace gets no signal from inside it.
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        self.selector.register(self.control, selectors.EVENT_READ, self.receive_request)
        self.selector.register(wake_read, selectors.EVENT_READ, lambda: self.reap(wake_read))
        self.control.sendall(b"\n")
        while True:
            for key, _ in self.selector.select():
                # No error that an agent causes here may stop the next request.
                with contextlib.suppress(Exception):
                    key.data()

    def receive_request(self) -> None:
        """Read one length-prefixed request and its descriptors, and execute it."""
        ancillary_size = socket.CMSG_SPACE(MAX_DESCRIPTORS * array.array("i").itemsize)
        try:
            head, ancillary, _, _ = self.control.recvmsg(4, ancillary_size)
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
            self.dispatch(json.loads(content), report, descriptors)
        finally:
            for descriptor in descriptors:
                with contextlib.suppress(OSError):
                    os.close(descriptor)

    def dispatch(self, request: dict[str, Any], report: socket.socket, descriptors: array.array[int]) -> None:
        """Execute a request; report any error as its answer."""
        try:
            getattr(self, "do_" + request["do"])(request, report, descriptors)
        except Exception as error:
            number = error.errno if isinstance(error, OSError) else None
            path = error.filename if isinstance(error, OSError) else None
            send_report(report, {"error": number or errno.EINVAL, "path": path or request.get("path")})
            report.close()

    def do_exec(self, request: dict[str, Any], report: socket.socket, streams: array.array[int]) -> None:
        """Start a command in its own session."""
        self.start_command(request, list(streams), report)

    def do_terminal(self, request: dict[str, Any], report: socket.socket, _: array.array[int]) -> None:
        """Start a command on a new terminal of this sandbox and send the terminal's other end."""
        import pty

        harness_end, command_end = pty.openpty()
        try:
            pid = self.start_command(request, [command_end] * 3, report)
            send_report(report, {"started": pid}, harness_end)
        finally:
            os.close(harness_end)
            os.close(command_end)

    def start_command(self, request: dict[str, Any], streams: list[int], report: socket.socket) -> int:
        """Start a command as a child of this process."""
        self.reap(None)
        pid, failure_pipe = fork(request, streams)
        self.commands[pid] = Command(report, failure_pipe)
        self.selector.register(report, selectors.EVENT_READ, lambda: self.end_command(pid))
        self.selector.register(failure_pipe, selectors.EVENT_READ, lambda: self.begin_command(pid))
        return pid

    def begin_command(self, pid: int) -> None:
        """Let the kernel kill a command that has begun before this process; before, it cannot be told so."""
        self.selector.unregister(self.commands[pid].failure_pipe)
        if self.commands[pid].has_begun():
            with open(f"/proc/{pid}/oom_score_adj", "w") as file:  # noqa: PTH123 (pathlib is slow to import)
                file.write(OOM_SCORE)

    def end_command(self, pid: int) -> None:
        """Kill a command with its session and its children; `reap` reports its end."""
        if pid not in self.commands:
            return
        if not self.commands[pid].report.recv(1):
            self.discard(pid)
        for _ in range(KILL_ROUNDS):
            family = descendants(pid)
            if not family:
                return
            for member in family:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(member, signal.SIGKILL)
            self.reap(None)

    def discard(self, pid: int) -> None:
        """Remove a command for which nobody waits any more."""
        command = self.commands.pop(pid)
        self.selector.unregister(command.report)
        command.report.close()
        with contextlib.suppress(KeyError):
            self.selector.unregister(command.failure_pipe)
        os.close(command.failure_pipe)

    def reap(self, wake_descriptor: int | None) -> None:
        """Reap every ended process, commands and orphans, and report the commands."""
        if wake_descriptor is not None:
            with contextlib.suppress(BlockingIOError):
                os.read(wake_descriptor, 4096)
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            if pid in self.commands:
                send_report(self.commands[pid].report, self.commands[pid].outcome(status))
                self.discard(pid)

    def do_open(self, request: dict[str, Any], report: socket.socket, _: array.array[int]) -> None:
        """Open a regular file inside the namespace and send its descriptor."""
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
            send_report(report, {"opened": True}, descriptor)
            report.close()
        finally:
            os.close(descriptor)

    def do_workspace(self, _: dict[str, Any], report: socket.socket, __: array.array[int]) -> None:
        """Send a descriptor of the workspace."""
        descriptor = os.open(WORKSPACE, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        send_report(report, {"opened": True}, descriptor)
        os.close(descriptor)
        report.close()

    def do_listen(self, request: dict[str, Any], report: socket.socket, _: array.array[int]) -> None:
        """Send a socket that listens on this sandbox's own loopback: the harness accepts its connections."""
        with socket.create_server(("127.0.0.1", request["port"]), backlog=512) as listener:
            send_report(report, {"opened": True}, listener.fileno())
        report.close()

    def do_watch(self, request: dict[str, Any], report: socket.socket, _: array.array[int]) -> None:
        """Load a filter for every later process and send its listener."""
        listener = load_filter(bytes.fromhex(request["program"]), request["number"])
        send_report(report, {"opened": True}, listener)
        os.close(listener)
        report.close()

    def do_kill_all(self, _: dict[str, Any], report: socket.socket, __: array.array[int]) -> None:
        """Kill every process except this one."""
        while len(processes()) > 1:
            with contextlib.suppress(ProcessLookupError):
                os.kill(-1, signal.SIGKILL)
            self.reap(None)
        send_report(report, {"killed": True})
        report.close()


class FilterProgram(ctypes.Structure):
    """The kernel's sock_fprog."""

    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_void_p))


def load_filter(program: bytes, number: int) -> int:
    """Load a filter for this process and its children; return the descriptor that receives notifications."""
    call = ctypes.CDLL(None, use_errno=True).syscall
    code = ctypes.create_string_buffer(program, len(program))
    filter_program = FilterProgram(len(program) // 8, ctypes.addressof(code))
    for flags in (NEW_LISTENER | WAIT_KILLABLE, NEW_LISTENER):  # kernels before 5.19 lack the second
        listener = int(call(number, SET_FILTER, flags, ctypes.byref(filter_program)))
        if listener >= 0:
            return listener
    raise OSError(ctypes.get_errno(), "no listener")


def fork(request: dict[str, Any], streams: list[int]) -> tuple[int, int]:
    """Fork a child that becomes the command, without waiting for it.

    Returns its pid, and the pipe on which it reports why it could not begin.
    """
    failure_read, failure_write = os.pipe()
    try:
        pid = os.fork()
    except OSError:
        os.close(failure_read)
        os.close(failure_write)
        raise
    if pid == 0:
        become(request, streams, failure_write)
    os.close(failure_write)
    os.set_blocking(failure_read, False)
    return pid, failure_read


def become(request: dict[str, Any], streams: list[int], failure_pipe: int) -> NoReturn:
    """Turn this new process into a command; if that fails, report why and exit."""
    path = None
    number = errno.EINVAL
    try:
        os.setsid()
        signal.set_wakeup_fd(-1)
        for signal_number in DEFAULT_SIGNALS:
            signal.signal(signal_number, signal.SIG_DFL)
        for target, stream in enumerate(streams):
            os.dup2(stream, target)
        failure_pipe = os.dup2(failure_pipe, 3, inheritable=False)
        close_from(4)
        if request["do"] == "terminal":
            import fcntl
            import termios

            fcntl.ioctl(0, termios.TIOCSCTTY, 0)
        set_command_limits(request.get("cpu_seconds"))
        path = request["cwd"]
        os.chdir(path)
        path = request["command"][0]
        if not path:
            raise FileNotFoundError(errno.ENOENT, "no such program")
        os.execvpe(path, request["command"], request["variables"])
    except OSError as error:
        number = error.errno or number
    finally:
        os.write(
            failure_pipe, json.dumps({"error": number, "path": str(path)[:MAX_PATH_CHARACTERS]}).encode()
        )
        os._exit(127)


def close_from(first: int) -> None:
    """Close all descriptors from a number on, however high they are: a busy harness passes on high ones."""
    for name in os.listdir("/proc/self/fd"):  # noqa: PTH208
        if int(name) >= first:
            with contextlib.suppress(OSError):
                os.close(int(name))


def command_file_limit(own_limit: int) -> int:
    """Return how many open files a command may have: fewer than the process that starts it."""
    return max(own_limit // 4, min(own_limit, 256))


def set_command_limits(cpu_seconds: int | None) -> None:
    """Give this new process the limits that apply to a command but not to the first process.

    It has them before the command begins. From outside they would come too late: what the command has
    started by then would keep the limits of the first process.
    """
    with contextlib.suppress(OSError, ValueError):
        most_files = command_file_limit(resource.getrlimit(resource.RLIMIT_NOFILE)[1])
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(1024, most_files), most_files))
    if cpu_seconds:
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_CPU, (cpu_seconds, cpu_seconds + 1))


def control_socket(name: str) -> socket.socket:
    """Return the socket to the harness: an inherited descriptor, or in a container a path."""
    if name.isdigit():
        return socket.socket(fileno=int(name))
    control = socket.socket(socket.AF_UNIX)
    control.connect(name)
    return control


def processes() -> list[int]:
    """List every process of this namespace."""
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]  # noqa: PTH208


def descendants(root: int) -> list[int]:
    """List a command, the processes of its session, and all their descendants."""
    parents: dict[int, tuple[int, int]] = {}
    for pid in processes():
        with contextlib.suppress(OSError):
            with open(f"/proc/{pid}/stat") as file:  # noqa: PTH123
                state, parent, _, session = file.read().rpartition(")")[2].split()[:4]
            if state != "Z":
                parents[pid] = (int(parent), int(session))
    family = {pid for pid, (_, session) in parents.items() if session == root} | ({root} & parents.keys())
    while children := {pid for pid, (parent, _) in parents.items() if parent in family} - family:
        family |= children
    return sorted(family)


def receive(source: socket.socket, size: int) -> bytes:
    """Read exactly `size` bytes."""
    data = bytearray()
    while len(data) < size:
        chunk = source.recv(size - len(data))
        if not chunk:
            os._exit(0)
        data += chunk
    return bytes(data)


def send_report(report: socket.socket, message: dict[str, Any], descriptor: int | None = None) -> None:
    """Send one line, with an optional descriptor; ignore a closed socket."""
    rights = array.array("i", [] if descriptor is None else [descriptor])
    ancillary = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, rights)] if rights else []
    with contextlib.suppress(OSError):
        report.sendmsg([json.dumps(message).encode() + b"\n"], ancillary)


if __name__ == "__main__":
    ctypes.CDLL(None).prctl(SET_DUMPABLE, 0, 0, 0, 0)
    if len(sys.argv) > 2:
        import subprocess  # slow to import, and only containers need it

        subprocess.run(["/bin/cp", "-a", f"{sys.argv[2]}/.", WORKSPACE], check=True)
    Resident(control_socket(sys.argv[1])).serve()
