"""The process that hears which programs are started and which connections are tried in sandboxes.

It is run by its path, outside every sandbox, and uses the standard library only. For each sandbox it is
handed a listener of the kernel's (seccomp user notification) and a file in memory. What a sandbox does is
written down, a line for each new thing, and always let through: this process only looks.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import fcntl
import json
import os
import select
import socket
import struct
import sys
from typing import Any

RECEIVE, SEND, IS_VALID, SET_FLAGS = 0xC0502100, 0xC0182101, 0x40082102, 0x40082104
ON_ONE_PROCESSOR = 1
"""Whoever waits and whoever answers take turns, which halves the wait; Linux 6.6 and later."""
NOTICE = struct.Struct("=QIIiIQ6Q")
ANSWER = struct.Struct("=QqiI")
LET_THROUGH = 1
WORDS_MOST, WORD_MOST, ADDRESS_MOST = 64, 160, 128
LOG_MOST = 2 << 20


class Sandbox:
    """One sandbox's listener, and where what it did is written."""

    def __init__(self, listener: int, log: int) -> None:
        self.listener = listener
        self.log = log
        self.known: set[int] = set()
        self.written = 0
        with contextlib.suppress(OSError):
            fcntl.ioctl(listener, SET_FLAGS, ON_ONE_PROCESSOR)

    def note(self, event: dict[str, Any]) -> None:
        """Write down what was not seen before, while there is room; that there is none is written too."""
        line = json.dumps(event).encode() + b"\n"
        if self.written > LOG_MOST or hash(line) in self.known:
            return
        self.known.add(hash(line))
        self.written += len(line)
        os.write(self.log, line if self.written <= LOG_MOST else b'{"full": true}\n')

    def close(self) -> None:
        """Nothing lives in it any more."""
        os.close(self.listener)
        os.close(self.log)


def hear(sandbox: Sandbox, names: dict[int, str]) -> None:
    """Take one notice, write it down, let its system call go on."""
    buffer = bytearray(NOTICE.size)
    try:
        fcntl.ioctl(sandbox.listener, RECEIVE, buffer)
    except OSError as error:
        if error.errno in (errno.ENOENT, errno.EINTR):  # whoever called was killed meanwhile
            return
        raise
    number, pid, _, call, _, _, *arguments = NOTICE.unpack(buffer)
    try:
        event = describe(pid, names.get(call, "?"), arguments)
    except (OSError, ValueError, struct.error):
        event = {"unread": names.get(call, "?")}
    with contextlib.suppress(OSError):
        fcntl.ioctl(sandbox.listener, IS_VALID, struct.pack("=Q", number))
        if event is not None:
            sandbox.note(event)
    with contextlib.suppress(OSError):
        fcntl.ioctl(sandbox.listener, SEND, bytearray(ANSWER.pack(number, 0, 0, LET_THROUGH)))


def describe(pid: int, name: str, arguments: list[int]) -> dict[str, Any] | None:
    """What a system call is about; None for sockets that are files, which lead nowhere outside."""
    if name == "execve":
        return program(pid, arguments[0], arguments[1])
    if name == "execveat":
        return program(pid, arguments[1], arguments[2])
    place, size = (arguments[1], arguments[2]) if name == "connect" else (arguments[4], arguments[5])
    return connection(read(pid, place, min(size, ADDRESS_MOST)))


def program(pid: int, path: int, words: int) -> dict[str, Any]:
    """A program's name and the words it is started with."""
    table = read(pid, words, 8 * (WORDS_MOST + 1)) if words else b""
    places = [place for (place,) in struct.iter_unpack("=Q", table[: len(table) // 8 * 8])]
    known = places.index(0) if 0 in places else len(places)
    said = [text(pid, place) for place in places[: min(known, WORDS_MOST)]]
    event = {"program": text(pid, path).rpartition("/")[2], "words": said}
    return event if known <= WORDS_MOST else {**event, "cut": True}


def text(pid: int, place: int) -> str:
    """The beginning of a string."""
    return read(pid, place, WORD_MOST).partition(b"\0")[0].decode(errors="replace")


class Span(ctypes.Structure):
    """The kernel's iovec."""

    _fields_ = (("start", ctypes.c_void_p), ("size", ctypes.c_size_t))


PAGE = os.sysconf("SC_PAGE_SIZE")
BUFFER = ctypes.create_string_buffer(1024)
HERE, THERE = Span(ctypes.addressof(BUFFER), 0), (Span * 2)()
READ_MEMORY = ctypes.CDLL(None, use_errno=True).process_vm_readv
NUMBER, POINTER = ctypes.c_ulong, ctypes.c_void_p
READ_MEMORY.argtypes = [ctypes.c_int, POINTER, NUMBER, POINTER, NUMBER, NUMBER]
AT_HERE, AT_THERE = ctypes.addressof(HERE), ctypes.addressof(THERE)


def read(pid: int, place: int, size: int) -> bytes:
    """Bytes of a process's memory, as far as there are any; /proc would hide those of some processes."""
    first = min(size, PAGE - place % PAGE)
    HERE.size = size
    THERE[0].start, THERE[0].size = place, first
    THERE[1].start, THERE[1].size = place + first, size - first
    count = READ_MEMORY(pid, AT_HERE, 1, AT_THERE, 2 if size > first else 1, 0)
    if count < 0:
        raise OSError(ctypes.get_errno(), "its memory cannot be read")
    return BUFFER.raw[:count]


def connection(address: bytes) -> dict[str, Any] | None:
    """The address that a connection is tried to."""
    family = int.from_bytes(address[:2], sys.byteorder)
    if family == socket.AF_INET:
        return {
            "address": socket.inet_ntop(family, address[4:8]),
            "port": int.from_bytes(address[2:4], "big"),
        }
    if family == socket.AF_INET6:
        place = socket.inet_ntop(family, address[8:24])
        return {"address": place, "port": int.from_bytes(address[2:4], "big")}
    return None


def serve(control: socket.socket, names: dict[int, str]) -> None:
    """Go on until the harness is gone."""
    sandboxes: dict[int, Sandbox] = {}
    poll = select.epoll()
    poll.register(control, select.EPOLLIN)
    while True:
        for ready, event in poll.poll():
            if ready == control.fileno():
                said, descriptors, _, _ = socket.recv_fds(control, 1, 2)
                if not said:
                    return
                sandboxes[descriptors[0]] = Sandbox(*descriptors)
                poll.register(descriptors[0], select.EPOLLIN)
            elif event & select.EPOLLIN:
                hear(sandboxes[ready], names)
            else:
                poll.unregister(ready)
                sandboxes.pop(ready).close()


if __name__ == "__main__":
    with contextlib.suppress(OSError):
        os.nice(-10)  # others wait for it; only root may
    numbers = {int(number): name for number, name in json.loads(sys.argv[2]).items()}
    serve(socket.socket(fileno=int(sys.argv[1])), numbers)
