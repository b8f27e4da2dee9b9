"""The harness's side of the talk with a resident process: one request, its descriptors, its reports."""

from __future__ import annotations

import array
import contextlib
import json
import os
import socket
import threading
from collections.abc import Sequence
from typing import Any, Self

from assay.errors import SandboxError

_LONGEST_REPORT = 65_536


class Errand:
    """One request under way: reports come in, a byte sent kills what it started."""

    def __init__(self, report: socket.socket) -> None:
        self._report = report
        self._said = b""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._report.close()

    def fileno(self) -> int:
        """Readable when a report is there."""
        return self._report.fileno()

    def hear(self, *, seconds: float | None = None) -> tuple[dict[str, Any], int | None]:
        """The next report, and the descriptor that came with it."""
        self._report.settimeout(seconds)
        descriptor = None
        while b"\n" not in self._said:
            try:
                data, passed, _, _ = socket.recv_fds(self._report, _LONGEST_REPORT, 1)
            except TimeoutError as error:
                raise SandboxError(f"the sandbox did not answer within {seconds} seconds") from error
            if not data:
                raise SandboxError("the sandbox has ended, so it cannot serve this")
            self._said += data
            descriptor = passed[0] if passed else descriptor
        line, _, self._said = self._said.partition(b"\n")
        return json.loads(line), descriptor

    def kill(self) -> None:
        """Ask that what was started be killed; what has ended of itself needs no asking."""
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            self._report.send(b"k")

    def detach(self) -> int:
        """Give the report socket away."""
        return self._report.detach()


class Resident:
    """The control socket of a resident process, shared by all threads of the harness."""

    def __init__(self, control: socket.socket) -> None:
        self._control = control
        self._lock = threading.Lock()

    def ask(self, request: dict[str, Any], descriptors: Sequence[int] = ()) -> Errand:
        """Send a request; the other end of its report socket goes with it, last."""
        ours, theirs = socket.socketpair()
        content = json.dumps(request).encode()
        try:
            with self._lock:
                rights = array.array("i", [*descriptors, theirs.fileno()])
                ancillary = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, rights)]
                self._control.sendmsg([len(content).to_bytes(4, "big")], ancillary)
                self._control.sendall(content)
        except OSError as error:
            ours.close()
            raise SandboxError("the sandbox has ended, so it cannot serve this") from error
        finally:
            theirs.close()
        return Errand(ours)

    def wait_until_ready(self, *, seconds: float) -> bool:
        """Whether the resident process spoke in time."""
        self._control.settimeout(seconds)
        try:
            return self._control.recv(1) == b"\n"
        except TimeoutError:
            return False
        finally:
            self._control.settimeout(None)

    def close(self) -> None:
        """End the talk, and with it the sandbox."""
        self._control.close()


def error_of(report: dict[str, Any]) -> OSError:
    """The error that happened inside, as the same error here."""
    return OSError(report["error"], os.strerror(report["error"]), report.get("path"))
