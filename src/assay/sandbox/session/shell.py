"""Opens a shell in a running sandbox: `python -m assay.sandbox.session.shell SOCKET`.

The shell's terminal is inside the sandbox; this program only carries bytes between it and the
user's own terminal, or a script's pipes.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import selectors
import signal
import socket
import sys
import termios
import tty
from collections.abc import Iterator
from pathlib import Path

from assay.sandbox.host.sockets import short_path

_END_OF_INPUT = b"\x04"
_CHUNK = 1 << 16


def main(path: str) -> int:
    """Carry bytes until the shell ends; return its return code."""
    with socket.socket(socket.AF_UNIX) as client:
        with short_path(Path(path)) as socket_path:
            client.connect(socket_path)
        message, descriptors, _, _ = socket.recv_fds(client, 256, 2)
    if len(descriptors) != 2:
        sys.stderr.write(f"the sandbox offers no terminal: {message.decode().strip()}\n")
        return 1
    terminal, reports = descriptors
    with _own_terminal_raw(terminal):
        _carry(terminal)
    with socket.socket(fileno=reports) as report:
        report.setblocking(True)
        return _returncode(report)


@contextlib.contextmanager
def _own_terminal_raw(terminal: int) -> Iterator[None]:
    """Pass every key to the shell while it runs; without a terminal, switch echo off inside."""
    if not os.isatty(0):
        settings = termios.tcgetattr(terminal)
        settings[3] &= ~termios.ECHO
        termios.tcsetattr(terminal, termios.TCSANOW, settings)
        yield
        return

    def resize(*_: object) -> None:
        size = fcntl.ioctl(0, termios.TIOCGWINSZ, bytes(8))
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, size)

    settings_before = termios.tcgetattr(0)
    signal.signal(signal.SIGWINCH, resize)
    resize()
    tty.setraw(0)
    try:
        yield
    finally:
        termios.tcsetattr(0, termios.TCSADRAIN, settings_before)


def _carry(terminal: int) -> None:
    with selectors.DefaultSelector() as selector:
        selector.register(terminal, selectors.EVENT_READ)
        with contextlib.suppress(PermissionError):  # a plain file as input cannot be polled
            selector.register(0, selectors.EVENT_READ)
        while True:
            for key, _ in selector.select():
                try:
                    data = os.read(key.fd, _CHUNK)
                except OSError:
                    return  # the terminal's last user has ended
                if key.fd == terminal:
                    if not data:
                        return
                    _write(1, data)
                else:
                    _write(terminal, data or _END_OF_INPUT)
                    if not data:
                        selector.unregister(0)


def _write(descriptor: int, data: bytes) -> None:
    while data:
        data = data[os.write(descriptor, data) :]


def _returncode(report: socket.socket) -> int:
    received = b""
    while b"\n" not in received and (chunk := report.recv(4096)):
        received += chunk
    code = int(json.loads(received).get("ended", 1)) if received else 1
    return 128 - code if code < 0 else code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
