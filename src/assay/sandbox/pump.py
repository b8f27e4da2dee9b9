"""Moves the bytes of running commands, within size limits and a deadline."""

from __future__ import annotations

import os
import selectors
import time
from collections.abc import Callable
from dataclasses import dataclass, field

_CHUNK = 1 << 16
_MAX_BUFFER = 1 << 18
_WATCH_SECONDS = 0.1


@dataclass(slots=True, eq=False)
class Stream:
    """One output stream: keeps its first bytes; more than `cap` bytes are an overflow."""

    descriptor: int
    cap: int
    data: bytearray = field(default_factory=bytearray)
    has_overflowed: bool = False
    has_ended: bool = False

    def read(self) -> bytes | None:
        """Read available bytes; None if there are none, empty at the end."""
        try:
            chunk = os.read(self.descriptor, _CHUNK)
        except BlockingIOError:
            return None
        self.has_ended = not chunk
        space = self.cap - len(self.data)
        self.data += chunk[:space]
        self.has_overflowed = self.has_overflowed or len(chunk) > space
        return chunk

    def close(self) -> None:
        """Close the descriptor."""
        os.close(self.descriptor)

    def drain(self) -> None:
        """Read until no bytes are available or the stream overflows."""
        while not self.has_ended and not self.has_overflowed and self.read() is not None:
            pass


class Sink:
    """One input stream: buffers bytes until the reader takes them."""

    def __init__(self, descriptor: int, data: bytes = b"", *, complete: bool = True) -> None:
        self.descriptor = descriptor
        self.buffer = bytearray(data)
        self.last = complete
        self.closed = False

    @property
    def is_full(self) -> bool:
        """True if the source of this sink must wait."""
        return len(self.buffer) >= _MAX_BUFFER

    def write(self) -> None:
        """Write as many bytes as the reader takes now; drop the rest if the reader has ended."""
        try:
            written = os.write(self.descriptor, memoryview(self.buffer)[: _CHUNK * 4])
        except BlockingIOError:
            return
        except OSError:
            self.buffer.clear()
            self.last = True
            written = 0
        del self.buffer[:written]

    def close(self) -> None:
        """Close the descriptor, so that the reader sees the end."""
        if not self.closed:
            self.closed = True
            os.close(self.descriptor)


class Pump:
    """Runs streams and sinks until a command ends or exceeds a limit."""

    def __init__(self, *, wall_seconds: float) -> None:
        self._selector = selectors.DefaultSelector()
        self._deadline = time.monotonic() + wall_seconds
        self._streams: list[tuple[Stream, Sink | None]] = []
        self._sinks: list[Sink] = []
        self._listeners: dict[int, Callable[[bytes], None]] = {}
        self._limit_checks: list[Callable[[], str | None]] = []

    def capture(self, stream: Stream) -> None:
        """Store a stream's output; an overflow ends the run."""
        os.set_blocking(stream.descriptor, False)
        self._streams.append((stream, None))
        self._limit_checks.append(lambda: "output" if stream.has_overflowed else None)

    def feed(self, sink: Sink) -> None:
        """Write a sink's bytes as fast as its reader takes them."""
        os.set_blocking(sink.descriptor, False)
        self._sinks.append(sink)

    def splice(self, stream: Stream, sink: Sink | None) -> None:
        """Forward all bytes of a stream to a sink, or drop them, without a size limit."""
        os.set_blocking(stream.descriptor, False)
        self._streams.append((stream, sink))

    def listen(self, stream: Stream, callback: Callable[[bytes], None]) -> None:
        """Pass all bytes of a stream to a callback, and an empty string at the end."""
        self.splice(stream, None)
        self._listeners[stream.descriptor] = callback

    def stop_reading(self, *streams: Stream) -> None:
        """Stop reading these streams; the caller may close them afterwards."""
        self._streams = [entry for entry in self._streams if entry[0] not in streams]
        for stream in streams:
            self._forget(stream.descriptor)

    def stop_writing(self, sink: Sink) -> None:
        """Stop writing to a sink, and close it."""
        self._sinks = [existing for existing in self._sinks if existing is not sink]
        if not sink.closed:
            self._forget(sink.descriptor)
        sink.close()

    def _forget(self, descriptor: int) -> None:
        if descriptor in (self._selector.get_map() or ()):
            self._selector.unregister(descriptor)

    def add_limit_check(self, limit_check: Callable[[], str | None]) -> None:
        """Call a check regularly that returns the name of an exceeded limit, or None."""
        self._limit_checks.append(limit_check)

    def run(self, end_descriptor: int) -> str | None:
        """Run until `end_descriptor` is readable (returns None) or a limit is exceeded (returns its name)."""
        self._selector.register(end_descriptor, selectors.EVENT_READ)
        try:
            while True:
                self._arrange()
                seconds_left = self._deadline - time.monotonic()
                ready = self._selector.select(max(0.0, min(seconds_left, _WATCH_SECONDS)))
                self._serve({key.fd for key, _ in ready})
                exceeded = next(filter(None, (limit_check() for limit_check in self._limit_checks)), None)
                if exceeded is not None:
                    return exceeded
                if any(key.fd == end_descriptor for key, _ in ready):
                    return None
                if time.monotonic() >= self._deadline:
                    return "wall"
        finally:
            self._selector.close()
            for sink in self._sinks:
                sink.close()

    def _arrange(self) -> None:
        """Wait only for streams whose sink has space and for sinks that have bytes to write."""
        events: dict[int, int] = {}
        for stream, target in self._streams:
            if not stream.has_ended and not (target is not None and target.is_full):
                events[stream.descriptor] = selectors.EVENT_READ
        for sink in self._sinks:
            if not sink.buffer and sink.last:
                is_open = not sink.closed
                if is_open and sink.descriptor in self._selector.get_map():
                    self._selector.unregister(sink.descriptor)
                sink.close()
            elif not sink.closed and sink.buffer:
                events[sink.descriptor] = selectors.EVENT_WRITE
        descriptors = {entry[0].descriptor for entry in self._streams} | {
            sink.descriptor for sink in self._sinks if not sink.closed
        }
        registered = {fd for fd in self._selector.get_map() if fd in descriptors}
        for descriptor in registered - events.keys():
            self._selector.unregister(descriptor)
        for descriptor in events.keys() - registered:
            self._selector.register(descriptor, events[descriptor])

    def _serve(self, ready: set[int]) -> None:
        for entry in list(self._streams):
            stream, target = entry
            # A callback for one stream may stop the reading of another.
            if stream.descriptor in ready and not stream.has_ended and entry in self._streams:
                data = stream.read()
                if data is not None and stream.descriptor in self._listeners:
                    self._listeners[stream.descriptor](data)
                elif target is not None and data is not None:
                    target.buffer += data
                    target.last = target.last or not data
        for sink in list(self._sinks):
            if sink.descriptor in ready and not sink.closed:
                sink.write()
