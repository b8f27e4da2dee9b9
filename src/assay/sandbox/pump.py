"""Moves the bytes of running commands, under caps and a deadline."""

from __future__ import annotations

import os
import selectors
import time
from collections.abc import Callable
from dataclasses import dataclass, field

_CHUNK = 1 << 16
_WAITING_MOST = 1 << 18
_WATCH_SECONDS = 0.1


@dataclass(slots=True, eq=False)
class Stream:
    """One output stream: its first bytes are kept; more than `cap` is an overflow."""

    descriptor: int
    cap: int
    kept: bytearray = field(default_factory=bytearray)
    overflowed: bool = False
    ended: bool = False

    def take(self) -> bytes | None:
        """Read what is there; None when nothing is, empty at the end."""
        try:
            data = os.read(self.descriptor, _CHUNK)
        except BlockingIOError:
            return None
        self.ended = not data
        room = self.cap - len(self.kept)
        self.kept += data[:room]
        self.overflowed = self.overflowed or len(data) > room
        return data

    def close(self) -> None:
        """Read no more."""
        os.close(self.descriptor)

    def drain(self) -> None:
        """Read until nothing is there or too much is."""
        while not self.ended and not self.overflowed and self.take() is not None:
            pass


class Sink:
    """One input stream: bytes wait here until the reader takes them."""

    def __init__(self, descriptor: int, data: bytes = b"", *, last: bool = True) -> None:
        self.descriptor = descriptor
        self.waiting = bytearray(data)
        self.last = last
        self.closed = False

    @property
    def full(self) -> bool:
        """Whether its source must wait."""
        return len(self.waiting) >= _WAITING_MOST

    def give(self) -> None:
        """Write what the reader takes now; close after the last byte or when the reader is gone."""
        try:
            written = os.write(self.descriptor, memoryview(self.waiting)[: _CHUNK * 4])
        except BlockingIOError:
            return
        except OSError:
            self.waiting.clear()
            self.last = True
            written = 0
        del self.waiting[:written]

    def close(self) -> None:
        """Tell the reader that nothing more comes."""
        if not self.closed:
            self.closed = True
            os.close(self.descriptor)


class Pump:
    """Runs streams and sinks until something ends them."""

    def __init__(self, *, wall_seconds: float) -> None:
        self._selector = selectors.DefaultSelector()
        self._deadline = time.monotonic() + wall_seconds
        self._streams: list[tuple[Stream, Sink | None]] = []
        self._sinks: list[Sink] = []
        self._hearers: dict[int, Callable[[bytes], None]] = {}
        self._watches: list[Callable[[], str | None]] = []

    def keep(self, stream: Stream) -> None:
        """Keep a stream's output; its overflow ends the run."""
        os.set_blocking(stream.descriptor, False)
        self._streams.append((stream, None))
        self._watches.append(lambda: "output" if stream.overflowed else None)

    def feed(self, sink: Sink) -> None:
        """Write to a reader as it takes."""
        os.set_blocking(sink.descriptor, False)
        self._sinks.append(sink)

    def splice(self, stream: Stream, sink: Sink | None) -> None:
        """Hand all of a stream on to a reader, or nowhere, however much it is."""
        os.set_blocking(stream.descriptor, False)
        self._streams.append((stream, sink))

    def listen(self, stream: Stream, hear: Callable[[bytes], None]) -> None:
        """Give all of a stream to a function, which gets no bytes at the end."""
        self.splice(stream, None)
        self._hearers[stream.descriptor] = hear

    def leave(self, *streams: Stream) -> None:
        """Read no more of these streams, which may be closed then."""
        self._streams = [item for item in self._streams if item[0] not in streams]
        for stream in streams:
            self._forget(stream.descriptor)

    def drop(self, sink: Sink) -> None:
        """Write no more to a reader, and close the way to it."""
        self._sinks = [each for each in self._sinks if each is not sink]
        if not sink.closed:
            self._forget(sink.descriptor)
        sink.close()

    def _forget(self, descriptor: int) -> None:
        if descriptor in (self._selector.get_map() or ()):
            self._selector.unregister(descriptor)

    def watch(self, watch: Callable[[], str | None]) -> None:
        """Ask now and then for the name of a limit that was exceeded."""
        self._watches.append(watch)

    def run(self, done: int) -> str | None:
        """Go on until `done` can be read (None) or a limit is exceeded (its name)."""
        self._selector.register(done, selectors.EVENT_READ)
        try:
            while True:
                self._arrange()
                left = self._deadline - time.monotonic()
                ready = self._selector.select(max(0.0, min(left, _WATCH_SECONDS)))
                self._serve({key.fd for key, _ in ready})
                exceeded = next(filter(None, (watch() for watch in self._watches)), None)
                if exceeded is not None:
                    return exceeded
                if any(key.fd == done for key, _ in ready):
                    return None
                if time.monotonic() >= self._deadline:
                    return "wall"
        finally:
            self._selector.close()
            for sink in self._sinks:
                sink.close()

    def _arrange(self) -> None:
        """Listen only to streams that have room and to sinks that have something to give."""
        wanted: dict[int, int] = {}
        for stream, target in self._streams:
            if not stream.ended and not (target is not None and target.full):
                wanted[stream.descriptor] = selectors.EVENT_READ
        for sink in self._sinks:
            if not sink.waiting and sink.last:
                sink_done = not sink.closed
                if sink_done and sink.descriptor in self._selector.get_map():
                    self._selector.unregister(sink.descriptor)
                sink.close()
            elif not sink.closed and sink.waiting:
                wanted[sink.descriptor] = selectors.EVENT_WRITE
        mine = {item[0].descriptor for item in self._streams} | {
            sink.descriptor for sink in self._sinks if not sink.closed
        }
        registered = {fd for fd in self._selector.get_map() if fd in mine}
        for descriptor in registered - wanted.keys():
            self._selector.unregister(descriptor)
        for descriptor in wanted.keys() - registered:
            self._selector.register(descriptor, wanted[descriptor])

    def _serve(self, ready: set[int]) -> None:
        for item in list(self._streams):
            stream, target = item
            # What one stream says may make the pump leave another.
            if stream.descriptor in ready and not stream.ended and item in self._streams:
                data = stream.take()
                if data is not None and stream.descriptor in self._hearers:
                    self._hearers[stream.descriptor](data)
                elif target is not None and data is not None:
                    target.waiting += data
                    target.last = target.last or not data
        for sink in list(self._sinks):
            if sink.descriptor in ready and not sink.closed:
                sink.give()
