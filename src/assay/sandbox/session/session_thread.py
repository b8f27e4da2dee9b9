"""The thread that starts a resident sandbox and stays with it to the end.

The kernel ends a sandbox with the thread that started it, so this thread does nothing but wait: for
the sandbox's end, for people who want a terminal inside, and for output of background jobs, which it
reads and drops so that they do not block.
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
from assay.sandbox.bubblewrap.launch import Launched, launch
from assay.sandbox.bubblewrap.layout import PRISTINE, variables_of
from assay.sandbox.confinement import Confinement
from assay.sandbox.docker.containers import Container
from assay.sandbox.engine import find_engine
from assay.sandbox.gpu.memory_watch import LOOK_SECONDS, GpuMeter
from assay.sandbox.host.scratch import scratch_folder
from assay.sandbox.host.sockets import short_path
from assay.sandbox.host.system import system_view
from assay.sandbox.monitor.session_monitor import Lookout
from assay.sandbox.pump import Stream
from assay.sandbox.session.own_python import own_python
from assay.sandbox.session.resident_client import Resident
from assay.sandbox.supervision import Counts

_numbers = itertools.count()
_START_SECONDS = 60.0
_NEWS_SECONDS = 5.0
_PROGRAM = "/run/resident.py"
_SOURCE = Path(__file__).with_name("resident.py")


class Keeper:
    """Holds one resident sandbox."""

    def __init__(self, confinement: Confinement) -> None:
        self._confinement = confinement
        self._thread: threading.Thread | None = None
        self._started = threading.Event()
        self._failure: BaseException | None = None
        self._launched: Launched | Container | None = None
        self._resident: Resident | None = None
        self._lookout: Lookout | None = None
        self._wake, self._wait = socket.socketpair()
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._orphans: list[int] = []
        self._lock = threading.Lock()
        self.terminal = Path()
        self._remains = -1

    @property
    def launched(self) -> Launched | Container:
        """The sandbox, once it stands."""
        if self._launched is None:
            raise SandboxError("this sandbox is not running", hint="open it first: `async with Box(...)`")
        return self._launched

    @property
    def resident(self) -> Resident:
        """The way to the process inside, once it stands."""
        if self._resident is None:
            raise SandboxError("this sandbox is not running", hint="open it first: `async with Box(...)`")
        return self._resident

    @property
    def lookout(self) -> Lookout:
        """Who looks at the sandbox, once it stands, and still after its end."""
        if self._lookout is None:
            raise SandboxError("this sandbox is not running", hint="open it first: `async with Box(...)`")
        return self._lookout

    @property
    def group(self) -> Counts:
        """What is counted of the sandbox."""
        return self.launched.group

    def start(self) -> None:
        """Start the sandbox and wait until it serves."""
        self.terminal = scratch_folder() / f"terminal-{next(_numbers)}.sock"
        self._thread = threading.Thread(target=self._live, name="assay-sandbox-keeper", daemon=True)
        self._thread.start()
        self._started.wait()
        if self._failure is not None:
            raise self._failure

    def stop(self) -> None:
        """End the sandbox and wait until nothing of it is left."""
        if self._thread is not None:
            with contextlib.suppress(OSError):
                self._wake.send(b"e")
            self._thread.join()
            self._thread = None
        if self._remains >= 0:
            os.close(self._remains)
            self._remains = -1

    def end(self) -> None:
        """Kill everything inside and keep hold of the workspace; nothing to do where it has ended."""
        with contextlib.suppress(SandboxError):
            self.launched.kill()
        self.ended()

    @property
    def has_remains(self) -> bool:
        """Whether the sandbox ended before it was stopped."""
        return self._remains >= 0

    def remains(self) -> int | None:
        """A new descriptor of the workspace that an ended sandbox left."""
        return os.dup(self._remains) if self._remains >= 0 else None

    def ended(self) -> bool:
        """Whether the sandbox is gone although nobody stopped it; an end may be news, so this waits."""
        if self._thread is None:
            return False
        self._thread.join(_NEWS_SECONDS)
        return not self._thread.is_alive()

    @property
    def meter(self) -> GpuMeter | None:
        """Who looks at the GPU memory; None without a GPU, and where Docker stands in."""
        return self._launched.meter if isinstance(self._launched, Launched) else None

    def adopt(self, streams: Sequence[Stream]) -> None:
        """Close streams that ended, and go on reading those that a background job still holds."""
        for stream in streams:
            if stream.ended or stream.overflowed:
                os.close(stream.descriptor)
                continue
            with self._lock:
                self._orphans.append(stream.descriptor)
            with contextlib.suppress(OSError):
                self._wake.send(b"o")

    def _live(self) -> None:
        try:
            self._listen()
            self._launch()
        except BaseException as error:
            self._failure = error
            self._close_sockets()
            if self._lookout is not None:
                self._lookout.close()
            return
        finally:
            self._started.set()
        try:
            self._watch()
        finally:
            self._release()

    def _launch(self) -> None:
        self._lookout = Lookout(self._confinement)
        shown = self._lookout.confinement
        launched, control = self._contain(shown) if find_engine().kind == "docker" else self._confine(shown)
        resident = Resident(control)
        if not resident.wait_until_ready(seconds=_START_SECONDS):
            launched.kill()
            words = launched.complaint()
            launched.release()
            resident.close()
            raise SandboxError(f"the sandbox's resident process did not start: {words}")
        with resident.ask({"do": "workspace"}) as errand:
            _, workspace = errand.hear(seconds=_START_SECONDS)
        if workspace is not None:
            launched.hold_workspace(workspace)
        try:
            self._lookout.begin(resident)
        except BaseException:
            launched.release()
            resident.close()
            raise
        self._launched, self._resident = launched, resident

    def _contain(self, shown: Confinement) -> tuple[Container, socket.socket]:
        container = Container(shown)
        return container, container.control

    def _confine(self, shown: Confinement) -> tuple[Launched, socket.socket]:
        ours, theirs = socket.socketpair()
        program = own_python(system_view(scratch_folder()).empty).program
        command = [program, "-I", "-S", _PROGRAM, str(theirs.fileno())]
        if shown.workspace is not None and not find_engine().overlay:
            command.append(PRISTINE)
        source = [(_SOURCE.read_bytes(), _PROGRAM)]
        with theirs:
            launched = launch(shown, command, passed=[theirs.fileno()], resident=True, files=source)
        return launched, ours

    def _watch(self) -> None:
        with selectors.DefaultSelector() as selector, self._listener as listener:
            selector.register(self.launched.ended, selectors.EVENT_READ, "ended")
            selector.register(self._wait, selectors.EVENT_READ, "wake")
            selector.register(listener, selectors.EVENT_READ, "terminal")
            while True:
                self._look_at_gpus()
                for key, _ in selector.select(LOOK_SECONDS if self.meter else None):
                    if key.data == "terminal":
                        self._offer_terminal(listener)
                    elif key.data == "orphan":
                        self._drop(selector, key.fd)
                    elif key.data == "ended":
                        with contextlib.suppress(OSError):
                            self._remains = self.launched.workspace()
                        self._close_orphans(selector)
                        return
                    elif b"e" in self._wait.recv(4096):
                        self._close_orphans(selector)
                        return
                    self._take_orphans(selector)

    def _look_at_gpus(self) -> None:
        if self.meter is not None and self.meter.look():
            self.meter.kill_all()

    def _take_orphans(self, selector: selectors.BaseSelector) -> None:
        with self._lock:
            taken, self._orphans = self._orphans, []
        for descriptor in taken:
            selector.register(descriptor, selectors.EVENT_READ, "orphan")

    def _drop(self, selector: selectors.BaseSelector, descriptor: int) -> None:
        with contextlib.suppress(BlockingIOError):
            if not os.read(descriptor, 1 << 16):
                selector.unregister(descriptor)
                os.close(descriptor)

    def _close_orphans(self, selector: selectors.BaseSelector) -> None:
        self._take_orphans(selector)
        for key in list(selector.get_map().values()):
            if key.data == "orphan":
                os.close(key.fd)

    def _listen(self) -> None:
        with short_path(self.terminal) as path:
            self._listener.bind(path)
        self.terminal.chmod(0o600)
        self._listener.listen()

    def _offer_terminal(self, listener: socket.socket) -> None:
        """Open a shell on a terminal of the sandbox and hand both to whoever connected."""
        client, _ = listener.accept()
        variables = {**variables_of(self._confinement), "TERM": "xterm-256color"}
        request = {"do": "terminal", "command": ["/bin/bash"], "cwd": "/workspace", "variables": variables}
        with client, contextlib.suppress(SandboxError, OSError):
            errand = self.resident.ask(request)
            report, terminal = errand.hear(seconds=_START_SECONDS)
            if terminal is None:
                client.sendall(f"{os.strerror(report.get('error', 0))}\n".encode())
                return
            reports = errand.detach()
            socket.send_fds(client, [b"terminal\n"], [terminal, reports])
            os.close(terminal)
            os.close(reports)

    def _release(self) -> None:
        resident, launched = self.resident, self.launched
        self._resident = None
        launched.release()
        resident.close()
        self._close_sockets()
        self.lookout.close()

    def _close_sockets(self) -> None:
        for end in (self._wait, self._wake, self._listener):
            end.close()
        self.terminal.unlink(missing_ok=True)
