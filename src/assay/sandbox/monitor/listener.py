"""The process that learns which programs and connections sandboxes start.

It runs by its path, outside every sandbox, and uses only the standard library. For each sandbox it gets a
kernel listener (seccomp user notification) and a file in memory. It writes one line for each new event and
always lets the system call continue: this process only observes.
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
"""The caller and this process share one processor, which halves the wait; Linux 6.6 and later."""
NOTIFICATION = struct.Struct("=QIIiIQ6Q")
ANSWER = struct.Struct("=QqiI")
CONTINUE_CALL = 1
MAX_WORDS, MAX_WORD_BYTES, MAX_ADDRESS_BYTES = 64, 160, 128
MAX_LOG_BYTES = 2 << 20


class WatchedSandbox:
    """The kernel listener of one sandbox, and the log of its events."""

    def __init__(self, listener: int, log: int) -> None:
        self.listener = listener
        self.log = log
        self.seen_hashes: set[int] = set()
        self.bytes_written = 0
        with contextlib.suppress(OSError):
            fcntl.ioctl(listener, SET_FLAGS, ON_ONE_PROCESSOR)

    def write_event(self, event: dict[str, Any]) -> None:
        """Write an event that is new, while the log has space; note once that the log is full."""
        line = json.dumps(event).encode() + b"\n"
        if self.bytes_written > MAX_LOG_BYTES or hash(line) in self.seen_hashes:
            return
        self.seen_hashes.add(hash(line))
        self.bytes_written += len(line)
        os.write(self.log, line if self.bytes_written <= MAX_LOG_BYTES else b'{"full": true}\n')

    def close(self) -> None:
        """Close the descriptors: no process of the sandbox is alive."""
        os.close(self.listener)
        os.close(self.log)


def handle_notification(sandbox: WatchedSandbox, names: dict[int, str]) -> None:
    """Receive one notification, log it, and let its system call continue."""
    buffer = bytearray(NOTIFICATION.size)
    try:
        fcntl.ioctl(sandbox.listener, RECEIVE, buffer)
    except OSError as error:
        if error.errno in (errno.ENOENT, errno.EINTR):  # the caller is dead
            return
        raise
    number, pid, _, call_number, _, _, *arguments = NOTIFICATION.unpack(buffer)
    try:
        event = describe(pid, names.get(call_number, "?"), arguments)
    except (OSError, ValueError, struct.error):
        event = {"unread": names.get(call_number, "?")}
    with contextlib.suppress(OSError):
        fcntl.ioctl(sandbox.listener, IS_VALID, struct.pack("=Q", number))
        if event is not None:
            sandbox.write_event(event)
    with contextlib.suppress(OSError):
        fcntl.ioctl(sandbox.listener, SEND, bytearray(ANSWER.pack(number, 0, 0, CONTINUE_CALL)))


def describe(pid: int, name: str, arguments: list[int]) -> dict[str, Any] | None:
    """Describe a system call as an event; None for Unix sockets, which stay inside."""
    if name == "execve":
        return describe_program(pid, arguments[0], arguments[1])
    if name == "execveat":
        return describe_program(pid, arguments[1], arguments[2])
    address, size = (arguments[1], arguments[2]) if name == "connect" else (arguments[4], arguments[5])
    return describe_connection(read_memory(pid, address, min(size, MAX_ADDRESS_BYTES)))


def describe_program(pid: int, path_address: int, words_address: int) -> dict[str, Any]:
    """Describe a started program by its name and its first arguments."""
    table = read_memory(pid, words_address, 8 * (MAX_WORDS + 1)) if words_address else b""
    addresses = [address for (address,) in struct.iter_unpack("=Q", table[: len(table) // 8 * 8])]
    word_count = addresses.index(0) if 0 in addresses else len(addresses)
    first_words = [read_text(pid, address) for address in addresses[: min(word_count, MAX_WORDS)]]
    event = {"program": read_text(pid, path_address).rpartition("/")[2], "words": first_words}
    return event if word_count <= MAX_WORDS else {**event, "cut": True}


def read_text(pid: int, address: int) -> str:
    """Read the beginning of a string from a process's memory."""
    return read_memory(pid, address, MAX_WORD_BYTES).partition(b"\0")[0].decode(errors="replace")


class IoVector(ctypes.Structure):
    """The kernel's iovec."""

    _fields_ = (("start", ctypes.c_void_p), ("size", ctypes.c_size_t))


PAGE = os.sysconf("SC_PAGE_SIZE")
BUFFER = ctypes.create_string_buffer(1024)
LOCAL_VECTOR, REMOTE_VECTORS = IoVector(ctypes.addressof(BUFFER), 0), (IoVector * 2)()
READ_MEMORY = ctypes.CDLL(None, use_errno=True).process_vm_readv
NUMBER, POINTER = ctypes.c_ulong, ctypes.c_void_p
READ_MEMORY.argtypes = [ctypes.c_int, POINTER, NUMBER, POINTER, NUMBER, NUMBER]
LOCAL_ADDRESS, REMOTE_ADDRESS = ctypes.addressof(LOCAL_VECTOR), ctypes.addressof(REMOTE_VECTORS)


def read_memory(pid: int, address: int, size: int) -> bytes:
    """Read up to `size` bytes of a process's memory; /proc would hide the memory of some processes."""
    first = min(size, PAGE - address % PAGE)
    LOCAL_VECTOR.size = size
    REMOTE_VECTORS[0].start, REMOTE_VECTORS[0].size = address, first
    REMOTE_VECTORS[1].start, REMOTE_VECTORS[1].size = address + first, size - first
    count = READ_MEMORY(pid, LOCAL_ADDRESS, 1, REMOTE_ADDRESS, 2 if size > first else 1, 0)
    if count < 0:
        raise OSError(ctypes.get_errno(), "cannot read the process's memory")
    return BUFFER.raw[:count]


def describe_connection(address: bytes) -> dict[str, Any] | None:
    """Describe the address of a connection; None for other socket families."""
    family = int.from_bytes(address[:2], sys.byteorder)
    if family == socket.AF_INET:
        return {
            "address": socket.inet_ntop(family, address[4:8]),
            "port": int.from_bytes(address[2:4], "big"),
        }
    if family == socket.AF_INET6:
        text = socket.inet_ntop(family, address[8:24])
        return {"address": text, "port": int.from_bytes(address[2:4], "big")}
    return None


def serve(control: socket.socket, names: dict[int, str]) -> None:
    """Handle notifications until the harness ends."""
    sandboxes: dict[int, WatchedSandbox] = {}
    poll = select.epoll()
    poll.register(control, select.EPOLLIN)
    while True:
        for descriptor, event in poll.poll():
            if descriptor == control.fileno():
                message, descriptors, _, _ = socket.recv_fds(control, 1, 2)
                if not message:
                    return
                sandboxes[descriptors[0]] = WatchedSandbox(*descriptors)
                poll.register(descriptors[0], select.EPOLLIN)
            elif event & select.EPOLLIN:
                handle_notification(sandboxes[descriptor], names)
            else:
                poll.unregister(descriptor)
                sandboxes.pop(descriptor).close()


if __name__ == "__main__":
    with contextlib.suppress(OSError):
        os.nice(-10)  # commands wait for this process; only root may do this
    numbers = {int(number): name for number, name in json.loads(sys.argv[2]).items()}
    serve(socket.socket(fileno=int(sys.argv[1])), numbers)
