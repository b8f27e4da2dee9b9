"""Connects a trusted command to one server sandbox after another; the trusted command asks for each.

The trusted command asks for a fresh server by writing a secret token. The relay kills the old server with
all its processes and drops its unread output before the new one starts; then the trusted command reads a
line that contains the token. A server cannot leave anything outside its sandbox.
"""

from __future__ import annotations

from collections.abc import Callable

from assay.sandbox.confined_command import ConfinedCommand
from assay.sandbox.confinement import Outcome
from assay.sandbox.pump import Pump, Sink


class Relay:
    """Forwards bytes between the trusted command and the current server."""

    def __init__(
        self,
        pump: Pump,
        trusted: ConfinedCommand,
        start_server_command: Callable[[], ConfinedCommand],
        token: bytes | None,
    ) -> None:
        self._pump, self._start_command, self._token = pump, start_server_command, token
        self._trusted, self._to_trusted = trusted, trusted.sink(complete=False)
        self._unsent = bytearray()
        self._was_idle = True
        self._server: ConfinedCommand | None = None
        self._to_server: Sink | None = None
        self.outcome: Outcome | None = None
        """Outcome of the first server that exceeded a limit, else of the last server that ended."""

    def connect_trusted(self) -> None:
        """Connect the streams of the trusted command, which has begun: until then it reads them itself."""
        self._pump.feed(self._to_trusted)
        self._pump.listen(self._trusted.stdout, self._on_trusted_output)
        self._pump.splice(self._trusted.stderr, None)
        self._pump.add_limit_check(self._check_server)

    def start_server(self) -> None:
        """Start a server and connect its streams."""
        server = self._server = self._start_command()
        server.begin()
        self._to_server = server.sink(complete=False)
        self._pump.feed(self._to_server)
        self._pump.splice(server.stdout, self._to_trusted)
        self._pump.splice(server.stderr, None)

    def end_server(self, exceeded: str | None = None) -> None:
        """Kill the current server, and drop its unread output."""
        server, to_server = self._server, self._to_server
        if server is None or to_server is None:
            return
        self._server = self._to_server = None
        self._pump.stop_writing(to_server)
        try:
            outcome = server.outcome(exceeded, (), killed=True)
        finally:
            self._pump.stop_reading(server.stdout, server.stderr)
            server.release()
        if self.outcome is None or self.outcome.exceeded is None:
            self.outcome = outcome

    def _on_trusted_output(self, data: bytes) -> None:
        self._was_idle = False
        if not data and self._to_server is not None:
            self._to_server.last = True
        self._unsent += data
        while self._token and self._token in self._unsent:
            position = self._unsent.index(self._token)
            self._send_to_server(position)
            del self._unsent[: len(self._token)]
            self._replace_server()
        self._send_to_server(len(self._unsent) - self._partial_token_length())

    def _replace_server(self) -> None:
        token = self._token or b""
        exceeded = self._server.watch() if self._server is not None else None
        self.end_server(exceeded)
        self._to_trusted.buffer += b"\n" + token + b"\n"
        self.start_server()

    def _send_to_server(self, length: int) -> None:
        if self._to_server is not None:
            self._to_server.buffer += self._unsent[:length]
        del self._unsent[:length]

    def _partial_token_length(self) -> int:
        """Return how many of the last bytes may be the beginning of the token."""
        token = self._token or b""
        lengths = range(min(len(token) - 1, len(self._unsent)), 0, -1)
        return next((length for length in lengths if self._unsent.endswith(token[:length])), 0)

    def _check_server(self) -> str | None:
        """End a server that exceeds a limit; the trusted command sees only the end of its output."""
        if self._was_idle and self._unsent:
            self._send_to_server(len(self._unsent))
        self._was_idle = True
        exceeded = self._server.watch() if self._server is not None else None
        if exceeded is not None:
            self.end_server(exceeded)
            self._to_trusted.last = True
        return None
