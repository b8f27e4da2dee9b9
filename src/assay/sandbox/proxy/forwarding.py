"""Carries the proxy's bytes: a request's head, a tunnel, one plain request and its response."""

from __future__ import annotations

import asyncio
import contextlib
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterable
from typing import Any

import h11

from assay.sandbox.proxy.allowed_hosts import as_address, normal_name

_CHUNK = 1 << 16
_MAX_REQUEST_HEAD = 16 << 10
_MAX_RESPONSE_HEAD = 64 << 10
_MAX_HELLO = 64 << 10
_HANDSHAKE = b"\x16"
_HOP_BY_HOP = {
    *(b"connection", b"keep-alive", b"proxy-connection", b"proxy-authorization", b"proxy-authenticate"),
    *(b"te", b"trailer", b"transfer-encoding", b"upgrade", b"expect", b"host", b"content-length"),
}
_REASONS = {
    400: "Bad Request",
    408: "Request Timeout",
    431: "Too Long",
    502: "Bad Gateway",
    503: "Busy",
    504: "Late",
}


class RequestRefused(Exception):
    """The proxy does not forward a request; the message is one line with the reason."""

    def __init__(self, reason: str, status: int = 403) -> None:
        super().__init__(reason)
        self.status = status


class Traffic:
    """The two ends of one request, and the number of bytes between them."""

    def __init__(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        idle_seconds: float,
        max_bytes: int,
        bytes_left: list[int],
    ) -> None:
        self.reader, self.writer = reader, writer
        self.idle_seconds = idle_seconds
        self.has_answered = False
        """True if the client has already received bytes."""
        self._host: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None
        self._max_bytes = max_bytes
        self._bytes_left = bytes_left
        self._sent = self._received = 0

    def connect(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Add the connection to the host."""
        self._host = (reader, writer)

    def close_and_count(self) -> dict[str, int]:
        """Close the connection to the host; return the bytes sent to it and received from it."""
        if self._host is not None:
            self._host[1].close()
        return {"sent": self._sent, "received": self._received}

    @property
    def host(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """Reader and writer of the connection to the host."""
        assert self._host is not None
        return self._host

    async def read_client(self) -> bytes:
        """Read the client's next bytes; empty at the end."""
        async with asyncio.timeout(self.idle_seconds):
            return await self.reader.read(_CHUNK)

    async def read_host(self) -> bytes:
        """Read the host's next bytes; empty at the end."""
        async with asyncio.timeout(self.idle_seconds):
            data = await self.host[0].read(_CHUNK)
        self._received += len(data)
        self._count(len(data))
        return data

    async def to_host(self, data: bytes) -> None:
        """Send bytes to the host."""
        self._sent += len(data)
        self._count(len(data))
        self.host[1].write(data)
        async with asyncio.timeout(self.idle_seconds):
            await self.host[1].drain()

    async def to_client(self, data: bytes) -> None:
        """Send bytes to the client."""
        self.has_answered = True
        self.writer.write(data)
        async with asyncio.timeout(self.idle_seconds):
            await self.writer.drain()

    def _count(self, size: int) -> None:
        self._bytes_left[0] -= size
        if self._sent + self._received > self._max_bytes or self._bytes_left[0] < 0:
            raise RequestRefused("more bytes than one request, or all requests of an attempt, may carry")


def refusal_response(refusal: RequestRefused) -> bytes:
    """Return a refusal as an HTTP response; its first line has the reason, as many clients show only that."""
    message = "".join(
        character if character.isascii() and character.isprintable() else "?" for character in str(refusal)
    )[:300]
    body = f"{message}\n".encode()
    head = f"HTTP/1.1 {refusal.status} {_REASONS.get(refusal.status, 'Forbidden')}: {message}\r\n"
    head += f"Content-Type: text/plain\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n"
    return head.encode() + body


async def read_head(traffic: Traffic) -> tuple[h11.Connection, h11.Request]:
    """Read the one request of a connection, without its body."""
    connection = h11.Connection(h11.SERVER, max_incomplete_event_size=_MAX_REQUEST_HEAD)
    try:
        while (event := connection.next_event()) is h11.NEED_DATA:
            connection.receive_data(await traffic.read_client())
    except h11.RemoteProtocolError as error:
        raise RequestRefused(f"invalid HTTP request: {error}", error.error_status_hint) from None
    if not isinstance(event, h11.Request):
        raise EOFError("the connection ended without a request")
    names = [name for name, _ in event.headers]
    if b"transfer-encoding" in names and b"content-length" in names:
        raise RequestRefused("invalid HTTP request: it has two lengths", 400)
    return connection, event


async def tunnel(traffic: Traffic, early: bytes, host: str, seconds: float) -> None:
    """Carry TLS in both directions, after its first bytes name the host."""
    await traffic.to_client(b"HTTP/1.1 200 Connection established\r\n\r\n")
    try:
        async with asyncio.timeout(seconds):
            hello = await _hello(traffic, early, host)
    except TimeoutError:
        raise RequestRefused("the client opened a tunnel and sent nothing", 408) from None
    await traffic.to_host(hello)

    async def client_to_host() -> None:
        while data := await traffic.read_client():
            await traffic.to_host(data)
        with contextlib.suppress(OSError):
            traffic.host[1].write_eof()

    async def host_to_client() -> None:
        while data := await traffic.read_host():
            await traffic.to_client(data)
        with contextlib.suppress(OSError):
            traffic.writer.write_eof()

    await _both(client_to_host(), host_to_client())


async def _both(*copies: Coroutine[Any, Any, None]) -> None:
    """Run both copies to their end, or until one fails."""
    tasks = [asyncio.ensure_future(copy) for copy in copies]
    try:
        await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()


async def _hello(traffic: Traffic, early: bytes, host: str) -> bytes:
    """Read the client's first bytes, and check that they are TLS for this host."""
    hello = early
    while (names := server_names(hello)) is None:
        if len(hello) > _MAX_HELLO or not (data := await traffic.read_client()):
            raise RequestRefused("the tunnel carries no TLS")
        hello += data
    expected = [None] if as_address(host) is not None else [host]
    if [name and normal_name(name) for name in names] != expected:
        addressed = names[0] if names else "no host, or is not TLS"
        raise RequestRefused(f"the client opened a tunnel to {host} but addresses {addressed}")
    return hello


def server_names(hello: bytes) -> list[str | None] | None:
    """Return the name that a TLS client addresses; None if more bytes are needed, empty if it is not TLS."""
    if hello[:1] not in (b"", _HANDSHAKE):
        return []
    if len(hello) < 5 + int.from_bytes(hello[3:5]):
        return None
    names: list[str | None] = []

    def note(_: object, name: str | None, __: object) -> int:
        names.append(name)
        return ssl.AlertDescription.ALERT_DESCRIPTION_UNRECOGNIZED_NAME

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.sni_callback = note
    incoming = ssl.MemoryBIO()
    incoming.write(hello)
    try:
        context.wrap_bio(incoming, ssl.MemoryBIO(), server_side=True).do_handshake()
    except ssl.SSLWantReadError:
        return names or None
    except ssl.SSLError:
        return names
    return names


async def forward(
    traffic: Traffic, client: h11.Connection, request: h11.Request, authority: str, path: str
) -> int:
    """Rewrite the request for the host and its response for the client; return the response's status."""
    host = h11.Connection(h11.CLIENT, max_incomplete_event_size=_MAX_RESPONSE_HEAD)
    headers = [
        (b"Host", authority.encode()),
        *_end_to_end_headers(request.headers),
        (b"Connection", b"close"),
    ]
    host_request = h11.Request(method=request.method, target=path.encode(), headers=headers)
    await traffic.to_host(host.send(host_request) or b"")
    if client.they_are_waiting_for_100_continue:
        await traffic.to_client(client.send(h11.InformationalResponse(status_code=100, headers=[])) or b"")
    async for data in _body(client, traffic.read_client):
        await traffic.to_host(host.send(h11.Data(data=data)) or b"")
    await traffic.to_host(host.send(h11.EndOfMessage()) or b"")
    while isinstance(response := await _next(host, traffic.read_host), h11.InformationalResponse):
        pass
    if not isinstance(response, h11.Response):
        raise EOFError("the host sent no response")
    headers = [*_end_to_end_headers(response.headers), (b"Connection", b"close")]
    client_response = h11.Response(status_code=response.status_code, reason=response.reason, headers=headers)
    await traffic.to_client(client.send(client_response) or b"")
    async for data in _body(host, traffic.read_host):
        await traffic.to_client(client.send(h11.Data(data=data)) or b"")
    await traffic.to_client(client.send(h11.EndOfMessage()) or b"")
    return int(response.status_code)


def _end_to_end_headers(headers: Iterable[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
    """Return the headers that concern both ends, with a single length."""
    pairs = list(headers)
    connection_headers = {
        word.strip() for name, value in pairs if name == b"connection" for word in value.lower().split(b",")
    }
    end_to_end = [(name, value) for name, value in pairs if name not in _HOP_BY_HOP | connection_headers]
    lengths = {name: value for name, value in pairs if name in (b"transfer-encoding", b"content-length")}
    return [*end_to_end, *sorted(lengths.items(), reverse=True)[:1]]


async def _next(connection: h11.Connection, read: Callable[[], Awaitable[bytes]]) -> object:
    while (event := connection.next_event()) is h11.NEED_DATA:
        connection.receive_data(await read())
    return event


async def _body(connection: h11.Connection, read: Callable[[], Awaitable[bytes]]) -> AsyncIterator[bytes]:
    while isinstance(event := await _next(connection, read), h11.Data):
        yield bytes(event.data)
    if not isinstance(event, h11.EndOfMessage):
        raise EOFError("the message is incomplete")
