"""The harness's side of the connection to a resident process: requests, their descriptors, their reports."""

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

_MAX_REPORT_BYTES = 65_536


class PendingRequest:
    """One open request: receives reports, and can kill the command that it started."""

    def __init__(self, report: socket.socket) -> None:
        self._report = report
        self._received = b""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._report.close()

    def fileno(self) -> int:
        """Return a descriptor that is readable when a report has arrived."""
        return self._report.fileno()

    def next_report(self, *, seconds: float | None = None) -> tuple[dict[str, Any], int | None]:
        """Return the next report, and the descriptor that came with it."""
        self._report.settimeout(seconds)
        descriptor = None
        while b"\n" not in self._received:
            try:
                data, passed, _, _ = socket.recv_fds(self._report, _MAX_REPORT_BYTES, 1)
            except TimeoutError as error:
                raise SandboxError(f"the sandbox did not answer within {seconds} seconds") from error
            if not data:
                raise SandboxError("the sandbox has ended, so it cannot handle this request")
            self._received += data
            descriptor = passed[0] if passed else descriptor
        line, _, self._received = self._received.partition(b"\n")
        return json.loads(line), descriptor

    def kill(self) -> None:
        """Ask the resident to kill the command; do nothing if it has already ended."""
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            self._report.send(b"k")

    def detach(self) -> int:
        """Return the report socket's descriptor, and stop owning it."""
        return self._report.detach()


class ResidentClient:
    """The control socket of a resident process, shared by all threads of the harness."""

    def __init__(self, control: socket.socket) -> None:
        self._control = control
        self._lock = threading.Lock()

    def send(self, request: dict[str, Any], descriptors: Sequence[int] = ()) -> PendingRequest:
        """Send a request with its descriptors; the last descriptor is the other end of its report socket."""
        harness_socket, resident_socket = socket.socketpair()
        content = json.dumps(request).encode()
        try:
            with self._lock:
                rights = array.array("i", [*descriptors, resident_socket.fileno()])
                ancillary = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, rights)]
                self._control.sendmsg([len(content).to_bytes(4, "big")], ancillary)
                self._control.sendall(content)
        except OSError as error:
            harness_socket.close()
            raise SandboxError("the sandbox has ended, so it cannot handle this request") from error
        finally:
            resident_socket.close()
        return PendingRequest(harness_socket)

    def wait_until_ready(self, *, seconds: float) -> bool:
        """Return whether the resident process reported ready in time."""
        self._control.settimeout(seconds)
        try:
            return self._control.recv(1) == b"\n"
        except TimeoutError:
            return False
        finally:
            self._control.settimeout(None)

    def close(self) -> None:
        """Close the connection, which ends the sandbox."""
        self._control.close()


def error_of(report: dict[str, Any]) -> OSError:
    """Return the error from inside as the same error class."""
    return OSError(report["error"], os.strerror(report["error"]), report.get("path"))
