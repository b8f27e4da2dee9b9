"""How the proxy carries bytes: a request's head, a tunnel, one plain request and its answer."""

from __future__ import annotations

import asyncio
import contextlib
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterable
from typing import Any

import h11

from assay.sandbox.proxy.allowed_hosts import as_address, normal_name

_CHUNK = 1 << 16
_HEAD_MOST = 16 << 10
_ANSWER_HEAD_MOST = 64 << 10
_HELLO_MOST = 64 << 10
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


class Refused(Exception):
    """A request that is not passed on, and the one line that says why."""

    def __init__(self, why: str, status: int = 403) -> None:
        super().__init__(why)
        self.status = status


class Traffic:
    """The two ends of one request, and what went through."""

    def __init__(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        idle_seconds: float,
        most: int,
        left: list[int],
    ) -> None:
        self.reader, self.writer = reader, writer
        self.idle_seconds = idle_seconds
        self.answered = False
        """Whether the client has been told something already."""
        self._far: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None
        self._most = most
        self._left = left
        self._sent = self._received = 0

    def join(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """The host answers."""
        self._far = (reader, writer)

    def counts(self) -> dict[str, int]:
        """Bytes to the host and from it; called at the end, it lets go of the host."""
        if self._far is not None:
            self._far[1].close()
        return {"sent": self._sent, "received": self._received}

    @property
    def far(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """The host's end."""
        assert self._far is not None
        return self._far

    async def read_client(self) -> bytes:
        """What the client says next; empty at its end."""
        async with asyncio.timeout(self.idle_seconds):
            return await self.reader.read(_CHUNK)

    async def read_host(self) -> bytes:
        """What the host says next; empty at its end."""
        async with asyncio.timeout(self.idle_seconds):
            data = await self.far[0].read(_CHUNK)
        self._received += len(data)
        self._count(len(data))
        return data

    async def to_host(self, data: bytes) -> None:
        """Pass on to the host."""
        self._sent += len(data)
        self._count(len(data))
        self.far[1].write(data)
        async with asyncio.timeout(self.idle_seconds):
            await self.far[1].drain()

    async def to_client(self, data: bytes) -> None:
        """Pass on to the client."""
        self.answered = True
        self.writer.write(data)
        async with asyncio.timeout(self.idle_seconds):
            await self.writer.drain()

    def _count(self, size: int) -> None:
        self._left[0] -= size
        if self._sent + self._received > self._most or self._left[0] < 0:
            raise Refused("more bytes than one request, or all of an attempt, may carry")


def answer_of(refusal: Refused) -> bytes:
    """A refusal as HTTP; the reason is in the first line too, since many clients show no more."""
    words = "".join(each if each.isascii() and each.isprintable() else "?" for each in str(refusal))[:300]
    body = f"{words}\n".encode()
    head = f"HTTP/1.1 {refusal.status} {_REASONS.get(refusal.status, 'Forbidden')}: {words}\r\n"
    head += f"Content-Type: text/plain\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n"
    return head.encode() + body


async def read_head(traffic: Traffic) -> tuple[h11.Connection, h11.Request]:
    """The one request of a connection, without its body."""
    connection = h11.Connection(h11.SERVER, max_incomplete_event_size=_HEAD_MOST)
    try:
        while (event := connection.next_event()) is h11.NEED_DATA:
            connection.receive_data(await traffic.read_client())
    except h11.RemoteProtocolError as error:
        raise Refused(f"no proper HTTP request: {error}", error.error_status_hint) from None
    if not isinstance(event, h11.Request):
        raise EOFError("the connection ended without a request")
    names = [name for name, _ in event.headers]
    if b"transfer-encoding" in names and b"content-length" in names:
        raise Refused("no proper HTTP request: it has two lengths", 400)
    return connection, event


async def tunnel(traffic: Traffic, early: bytes, host: str, seconds: float) -> None:
    """Carry TLS both ways, once its first words name the host."""
    await traffic.to_client(b"HTTP/1.1 200 Connection established\r\n\r\n")
    try:
        async with asyncio.timeout(seconds):
            hello = await _hello(traffic, early, host)
    except TimeoutError:
        raise Refused("the tunnel was opened and nothing was said", 408) from None
    await traffic.to_host(hello)

    async def outward() -> None:
        while data := await traffic.read_client():
            await traffic.to_host(data)
        with contextlib.suppress(OSError):
            traffic.far[1].write_eof()

    async def inward() -> None:
        while data := await traffic.read_host():
            await traffic.to_client(data)
        with contextlib.suppress(OSError):
            traffic.writer.write_eof()

    await _both(outward(), inward())


async def _both(*ways: Coroutine[Any, Any, None]) -> None:
    """Run both to their end, or until one of them fails."""
    tasks = [asyncio.ensure_future(way) for way in ways]
    try:
        await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()


async def _hello(traffic: Traffic, early: bytes, host: str) -> bytes:
    """The client's first words, once they are known to be TLS for this host."""
    said = early
    while (named := server_names(said)) is None:
        if len(said) > _HELLO_MOST or not (data := await traffic.read_client()):
            raise Refused("the tunnel carries no TLS")
        said += data
    wanted = [None] if as_address(host) is not None else [host]
    if [name and normal_name(name) for name in named] != wanted:
        shown = named[0] if named else "nobody, or is no TLS"
        raise Refused(f"the tunnel was opened to {host} and addresses {shown}")
    return said


def server_names(said: bytes) -> list[str | None] | None:
    """The name that a TLS client addresses; None while too little is said, empty if it is no TLS."""
    if said[:1] not in (b"", _HANDSHAKE):
        return []
    if len(said) < 5 + int.from_bytes(said[3:5]):
        return None
    named: list[str | None] = []

    def note(_: object, name: str | None, __: object) -> int:
        named.append(name)
        return ssl.AlertDescription.ALERT_DESCRIPTION_UNRECOGNIZED_NAME

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.sni_callback = note
    incoming = ssl.MemoryBIO()
    incoming.write(said)
    try:
        context.wrap_bio(incoming, ssl.MemoryBIO(), server_side=True).do_handshake()
    except ssl.SSLWantReadError:
        return named or None
    except ssl.SSLError:
        return named
    return named


async def forward(
    traffic: Traffic, client: h11.Connection, request: h11.Request, authority: str, path: str
) -> int:
    """Write the request anew for the host, then its answer for the client; the answer's status."""
    host = h11.Connection(h11.CLIENT, max_incomplete_event_size=_ANSWER_HEAD_MOST)
    headers = [(b"Host", authority.encode()), *_passed_on(request.headers), (b"Connection", b"close")]
    named = h11.Request(method=request.method, target=path.encode(), headers=headers)
    await traffic.to_host(host.send(named) or b"")
    if client.they_are_waiting_for_100_continue:
        await traffic.to_client(client.send(h11.InformationalResponse(status_code=100, headers=[])) or b"")
    async for data in _body(client, traffic.read_client):
        await traffic.to_host(host.send(h11.Data(data=data)) or b"")
    await traffic.to_host(host.send(h11.EndOfMessage()) or b"")
    while isinstance(answer := await _next(host, traffic.read_host), h11.InformationalResponse):
        pass
    if not isinstance(answer, h11.Response):
        raise EOFError("the host gave no answer")
    headers = [*_passed_on(answer.headers), (b"Connection", b"close")]
    said = h11.Response(status_code=answer.status_code, reason=answer.reason, headers=headers)
    await traffic.to_client(client.send(said) or b"")
    async for data in _body(host, traffic.read_host):
        await traffic.to_client(client.send(h11.Data(data=data)) or b"")
    await traffic.to_client(client.send(h11.EndOfMessage()) or b"")
    return int(answer.status_code)


def _passed_on(headers: Iterable[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
    """The headers that concern both ends, with one length."""
    pairs = list(headers)
    named = {
        word.strip() for name, value in pairs if name == b"connection" for word in value.lower().split(b",")
    }
    kept = [(name, value) for name, value in pairs if name not in _HOP_BY_HOP | named]
    lengths = {name: value for name, value in pairs if name in (b"transfer-encoding", b"content-length")}
    return [*kept, *sorted(lengths.items(), reverse=True)[:1]]


async def _next(connection: h11.Connection, read: Callable[[], Awaitable[bytes]]) -> object:
    while (event := connection.next_event()) is h11.NEED_DATA:
        connection.receive_data(await read())
    return event


async def _body(connection: h11.Connection, read: Callable[[], Awaitable[bytes]]) -> AsyncIterator[bytes]:
    while isinstance(event := await _next(connection, read), h11.Data):
        yield bytes(event.data)
    if not isinstance(event, h11.EndOfMessage):
        raise EOFError("the message ended before its end")
