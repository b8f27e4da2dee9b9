"""The thread that starts a session's sandbox and waits for its end.

The kernel ends a sandbox with the thread that started it, so this thread only waits: for the sandbox's
end, for people who open a terminal inside, and for output of background jobs, which it reads and drops
so that they do not block.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import selectors
import socket
import threading
from collections.abc import Sequence
from pathlib import Path

from assay.errors import SandboxError
from assay.sandbox.bubblewrap.launch import RunningSandbox, launch
from assay.sandbox.bubblewrap.layout import PRISTINE, variables_of
from assay.sandbox.confinement import Confinement
from assay.sandbox.docker.containers import Container
from assay.sandbox.engine import find_engine
from assay.sandbox.gpu.memory_watch import LOOK_SECONDS, GpuMeter
from assay.sandbox.host.scratch import scratch_folder
from assay.sandbox.host.sockets import short_path
from assay.sandbox.host.system import system_view
from assay.sandbox.monitor.session_monitor import SessionMonitor
from assay.sandbox.pump import Stream
from assay.sandbox.session.own_python import own_python
from assay.sandbox.session.resident_client import ResidentClient
from assay.sandbox.supervision import KernelCounts

_numbers = itertools.count()
_START_SECONDS = 60.0
_END_NOTICE_SECONDS = 5.0
_PROGRAM = "/run/resident.py"
_SOURCE = Path(__file__).with_name("resident.py")


class SessionThread:
    """Starts one session's sandbox and keeps it until its end."""

    def __init__(self, confinement: Confinement) -> None:
        self._confinement = confinement
        self._thread: threading.Thread | None = None
        self._started = threading.Event()
        self._failure: BaseException | None = None
        self._sandbox: RunningSandbox | Container | None = None
        self._resident: ResidentClient | None = None
        self._monitor: SessionMonitor | None = None
        self._wake_send, self._wake_receive = socket.socketpair()
        self._terminal_listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._background_streams: list[int] = []
        self._lock = threading.Lock()
        self.terminal = Path()
        self._left_workspace = -1

    @property
    def sandbox(self) -> RunningSandbox | Container:
        """The started sandbox."""
        if self._sandbox is None:
            raise SandboxError("this sandbox is not running", hint="open it first: `async with Box(...)`")
        return self._sandbox

    @property
    def resident(self) -> ResidentClient:
        """Client of the resident process inside the started sandbox."""
        if self._resident is None:
            raise SandboxError("this sandbox is not running", hint="open it first: `async with Box(...)`")
        return self._resident

    @property
    def monitor(self) -> SessionMonitor:
        """Observer of the sandbox, from its start until after its end."""
        if self._monitor is None:
            raise SandboxError("this sandbox is not running", hint="open it first: `async with Box(...)`")
        return self._monitor

    @property
    def group(self) -> KernelCounts:
        """The kernel's counters for the sandbox."""
        return self.sandbox.group

    def start(self) -> None:
        """Start the sandbox and wait until it accepts requests."""
        self.terminal = scratch_folder() / f"terminal-{next(_numbers)}.sock"
        self._thread = threading.Thread(target=self._run, name="assay-sandbox-session", daemon=True)
        self._thread.start()
        self._started.wait()
        if self._failure is not None:
            raise self._failure

    def stop(self) -> None:
        """End the sandbox and wait until all its resources are released."""
        if self._thread is not None:
            with contextlib.suppress(OSError):
                self._wake_send.send(b"e")
            self._thread.join()
            self._thread = None
        if self._left_workspace >= 0:
            os.close(self._left_workspace)
            self._left_workspace = -1

    def end(self) -> None:
        """Kill everything inside and keep the workspace open; do nothing if the sandbox has ended."""
        with contextlib.suppress(SandboxError):
            self.sandbox.kill()
        self.has_ended()

    @property
    def has_left_workspace(self) -> bool:
        """True if the sandbox ended before `stop`."""
        return self._left_workspace >= 0

    def open_left_workspace(self) -> int | None:
        """Return a new descriptor of the ended sandbox's workspace, or None."""
        return os.dup(self._left_workspace) if self._left_workspace >= 0 else None

    def has_ended(self) -> bool:
        """Return whether the sandbox ended without `stop`; wait a moment for an end that is very recent."""
        if self._thread is None:
            return False
        self._thread.join(_END_NOTICE_SECONDS)
        return not self._thread.is_alive()

    @property
    def meter(self) -> GpuMeter | None:
        """Measures GPU memory; None without a GPU, and with Docker."""
        return self._sandbox.meter if isinstance(self._sandbox, RunningSandbox) else None

    def keep_reading(self, streams: Sequence[Stream]) -> None:
        """Close ended streams, and continue to read those that a background job still uses."""
        for stream in streams:
            if stream.has_ended or stream.has_overflowed:
                os.close(stream.descriptor)
                continue
            with self._lock:
                self._background_streams.append(stream.descriptor)
            with contextlib.suppress(OSError):
                self._wake_send.send(b"o")

    def _run(self) -> None:
        try:
            self._listen_for_terminals()
            self._launch()
        except BaseException as error:
            self._failure = error
            self._close_sockets()
            if self._monitor is not None:
                self._monitor.close()
            return
        finally:
            self._started.set()
        try:
            self._serve_events()
        finally:
            self._release()

    def _launch(self) -> None:
        self._monitor = SessionMonitor(self._confinement)
        confinement = self._monitor.confinement
        sandbox, control = (
            self._start_docker(confinement)
            if find_engine().kind == "docker"
            else self._start_bubblewrap(confinement)
        )
        resident = ResidentClient(control)
        if not resident.wait_until_ready(seconds=_START_SECONDS):
            sandbox.kill()
            message = sandbox.error_output()
            sandbox.release()
            resident.close()
            raise SandboxError(f"the sandbox's resident process did not start: {message}")
        with resident.send({"do": "workspace"}) as pending:
            _, workspace = pending.next_report(seconds=_START_SECONDS)
        if workspace is not None:
            sandbox.set_workspace(workspace)
        try:
            self._monitor.begin(resident)
        except BaseException:
            sandbox.release()
            resident.close()
            raise
        self._sandbox, self._resident = sandbox, resident

    def _start_docker(self, confinement: Confinement) -> tuple[Container, socket.socket]:
        container = Container(confinement)
        return container, container.control

    def _start_bubblewrap(self, confinement: Confinement) -> tuple[RunningSandbox, socket.socket]:
        harness_socket, resident_socket = socket.socketpair()
        program = own_python(system_view(scratch_folder()).empty).program
        command = [program, "-I", "-S", _PROGRAM, str(resident_socket.fileno())]
        if confinement.workspace is not None and not find_engine().overlay:
            command.append(PRISTINE)
        source = [(_SOURCE.read_bytes(), _PROGRAM)]
        with resident_socket:
            sandbox = launch(
                confinement, command, inherited=[resident_socket.fileno()], resident=True, files=source
            )
        return sandbox, harness_socket

    def _serve_events(self) -> None:
        with selectors.DefaultSelector() as selector, self._terminal_listener as listener:
            selector.register(self.sandbox.end_descriptor, selectors.EVENT_READ, "ended")
            selector.register(self._wake_receive, selectors.EVENT_READ, "wake")
            selector.register(listener, selectors.EVENT_READ, "terminal")
            while True:
                self._look_at_gpus()
                for key, _ in selector.select(LOOK_SECONDS if self.meter else None):
                    if key.data == "terminal":
                        self._offer_terminal(listener)
                    elif key.data == "orphan":
                        self._discard_output(selector, key.fd)
                    elif key.data == "ended":
                        with contextlib.suppress(OSError):
                            self._left_workspace = self.sandbox.workspace()
                        self._close_background_streams(selector)
                        return
                    elif b"e" in self._wake_receive.recv(4096):
                        self._close_background_streams(selector)
                        return
                    self._register_background_streams(selector)

    def _look_at_gpus(self) -> None:
        if self.meter is not None and self.meter.look():
            self.meter.kill_all()

    def _register_background_streams(self, selector: selectors.BaseSelector) -> None:
        with self._lock:
            descriptors, self._background_streams = self._background_streams, []
        for descriptor in descriptors:
            selector.register(descriptor, selectors.EVENT_READ, "orphan")

    def _discard_output(self, selector: selectors.BaseSelector, descriptor: int) -> None:
        with contextlib.suppress(BlockingIOError):
            if not os.read(descriptor, 1 << 16):
                selector.unregister(descriptor)
                os.close(descriptor)

    def _close_background_streams(self, selector: selectors.BaseSelector) -> None:
        self._register_background_streams(selector)
        for key in list(selector.get_map().values()):
            if key.data == "orphan":
                os.close(key.fd)

    def _listen_for_terminals(self) -> None:
        with short_path(self.terminal) as path:
            self._terminal_listener.bind(path)
        self.terminal.chmod(0o600)
        self._terminal_listener.listen()

    def _offer_terminal(self, listener: socket.socket) -> None:
        """Open a shell on a terminal of the sandbox and send both descriptors to the client."""
        client, _ = listener.accept()
        variables = {**variables_of(self._confinement), "TERM": "xterm-256color"}
        request = {"do": "terminal", "command": ["/bin/bash"], "cwd": "/workspace", "variables": variables}
        with client, contextlib.suppress(SandboxError, OSError):
            pending = self.resident.send(request)
            report, terminal = pending.next_report(seconds=_START_SECONDS)
            if terminal is None:
                client.sendall(f"{os.strerror(report.get('error', 0))}\n".encode())
                return
            reports = pending.detach()
            socket.send_fds(client, [b"terminal\n"], [terminal, reports])
            os.close(terminal)
            os.close(reports)

    def _release(self) -> None:
        resident, sandbox = self.resident, self.sandbox
        self._resident = None
        sandbox.release()
        resident.close()
        self._close_sockets()
        self.monitor.close()

    def _close_sockets(self) -> None:
        for open_socket in (self._wake_receive, self._wake_send, self._terminal_listener):
            open_socket.close()
        self.terminal.unlink(missing_ok=True)
