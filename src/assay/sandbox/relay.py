"""Joins a trusted command to servers in sandboxes of their own, one after another, as the trusted one asks.

The trusted command asks for a fresh server by writing a secret token. The old server and everything that it
started is dead, and what it still had to say is dropped, before the new one starts; then the trusted command
reads a line that is the token. Not covered: what a server leaves outside its sandbox, which is nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from assay.sandbox.confinement import Limits, Outcome
from assay.sandbox.pump import Pump, Sink, Stream


class Joined(Protocol):
    """A started sandbox with its streams."""

    limits: Limits
    said: Stream
    errors: Stream

    def begin(self) -> None: ...
    def watch(self) -> str | None: ...
    def sink(self, data: bytes = b"", *, last: bool = True) -> Sink: ...
    def outcome(self, exceeded: str | None, collect: Sequence[str], *, killed: bool = False) -> Outcome: ...
    def release(self) -> None: ...


class Relay:
    """Hands on bytes between the trusted command and the server of the moment."""

    def __init__(self, pump: Pump, trusted: Joined, start: Callable[[], Joined], token: bytes | None) -> None:
        self._pump, self._start, self._token = pump, start, token
        self._answers = trusted.sink(last=False)
        self._held = bytearray()
        self._quiet = True
        self._server: Joined | None = None
        self._questions: Sink | None = None
        self.outcome: Outcome | None = None
        """Of the first server that exceeded a limit, else of the last that ended."""
        pump.feed(self._answers)
        pump.listen(trusted.said, self._hear)
        pump.splice(trusted.errors, None)
        pump.watch(self._watch)

    def begin(self) -> None:
        """Start a server and join it."""
        server = self._server = self._start()
        server.begin()
        self._questions = server.sink(last=False)
        self._pump.feed(self._questions)
        self._pump.splice(server.said, self._answers)
        self._pump.splice(server.errors, None)

    def end(self, exceeded: str | None = None) -> None:
        """Kill the server of the moment, and forget what it has not yet said."""
        server, questions = self._server, self._questions
        if server is None or questions is None:
            return
        self._server = self._questions = None
        self._pump.drop(questions)
        try:
            outcome = server.outcome(exceeded, (), killed=True)
        finally:
            self._pump.leave(server.said, server.errors)
            server.release()
        if self.outcome is None or self.outcome.exceeded is None:
            self.outcome = outcome

    def _hear(self, data: bytes) -> None:
        self._quiet = False
        if not data and self._questions is not None:
            self._questions.last = True
        self._held += data
        while self._token and self._token in self._held:
            place = self._held.index(self._token)
            self._ask(place)
            del self._held[: len(self._token)]
            self._replace()
        self._ask(len(self._held) - self._half_a_token())

    def _replace(self) -> None:
        token = self._token or b""
        exceeded = self._server.watch() if self._server is not None else None
        self.end(exceeded)
        self._answers.waiting += b"\n" + token + b"\n"
        self.begin()

    def _ask(self, length: int) -> None:
        if self._questions is not None:
            self._questions.waiting += self._held[:length]
        del self._held[:length]

    def _half_a_token(self) -> int:
        """How many of the last bytes may be the beginning of the token."""
        token = self._token or b""
        lengths = range(min(len(token) - 1, len(self._held)), 0, -1)
        return next((length for length in lengths if self._held.endswith(token[:length])), 0)

    def _watch(self) -> str | None:
        """Ends a server that exceeds a limit; the trusted command hears only that it ended."""
        if self._quiet and self._held:
            self._ask(len(self._held))
        self._quiet = True
        exceeded = self._server.watch() if self._server is not None else None
        if exceeded is not None:
            self.end(exceeded)
            self._answers.last = True
        return None
