"""The forward proxy of one attempt: `python -m assay.sandbox.proxy.server`, outside the sandbox.

It listens on a socket of the sandbox's loopback, and forwards CONNECT and plain HTTP to the hosts that the
task allows. Each connection carries one request, so nothing can follow it; the proxy parses and rewrites
requests; it resolves names itself and connects to the address that it has checked. A tunnel must be TLS for
the host of its CONNECT request.

What it does not cover:

- Bytes inside a tunnel: a host that serves other names under one address and one certificate (a CDN) can
  serve those too.
- Content of an allowed host: a task that allows a mirror or a search engine allows everything it shows.
- A harness that itself reaches the Internet only through a proxy.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import resource
import socket
import sys
import time
from dataclasses import dataclass

import h11

from assay.sandbox.proxy.allowed_hosts import AllowedHosts, is_public, parse_allowed, split_authority
from assay.sandbox.proxy.forwarding import (
    RequestRefused,
    Traffic,
    forward,
    read_head,
    refusal_response,
    tunnel,
)

_PLAIN, _TLS = 80, 443
_CONNECT_SECONDS = 20.0
_REFUSAL_SECONDS = 1.0
_MAX_DISCARDED = 1 << 20


@dataclass(frozen=True, slots=True)
class ProxyLimits:
    """Limits of the proxy for one attempt."""

    concurrent_requests: int = 32
    requests: int = 10_000
    request_bytes: int = 4 << 30
    """Of one request, both directions together."""
    total_bytes: int = 16 << 30
    head_seconds: float = 15.0
    """Time in which a client must send its request."""
    idle_seconds: float = 120.0
    request_seconds: float = 3600.0


class Proxy:
    """Serves the requests of one sandbox."""

    def __init__(self, allowed: AllowedHosts, limits: ProxyLimits, log: int) -> None:
        self._allowed = allowed
        self._limits = limits
        self._log = log
        self._open_requests = 0
        self._request_count = 0
        self._bytes_left = [limits.total_bytes]

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve one connection; log and close it even after an error."""
        self._open_requests += 1
        self._request_count += 1
        entry = RequestLogEntry(self._log, self._request_count)
        traffic = Traffic(
            reader, writer, self._limits.idle_seconds, self._limits.request_bytes, self._bytes_left
        )
        try:
            async with asyncio.timeout(self._limits.request_seconds):
                await self._answer(traffic, entry)
            entry.end(traffic)
        except Exception as error:
            refusal = _as_refusal(error)
            entry.reason, entry.status = str(refusal), entry.status or refusal.status
            if self._request_count <= self._limits.requests + 1:
                entry.end(
                    traffic
                )  # before the response: a test may read the log as soon as it has the response
            await _send_refusal(traffic, refusal)
        finally:
            self._open_requests -= 1
            writer.close()

    async def _answer(self, traffic: Traffic, entry: RequestLogEntry) -> None:
        if self._open_requests > self._limits.concurrent_requests:
            raise RequestRefused(f"more than {self._limits.concurrent_requests} requests at once", 503)
        if self._request_count > self._limits.requests:
            raise RequestRefused(f"more than {self._limits.requests} requests in one attempt")
        try:
            async with asyncio.timeout(self._limits.head_seconds):
                connection, request = await read_head(traffic)
        except TimeoutError:
            raise RequestRefused(f"no request within {self._limits.head_seconds:g} seconds", 408) from None
        entry.method = request.method.decode()[:20]
        is_connect = request.method == b"CONNECT"
        name, port, path = _tunnel_target(request) if is_connect else _plain_target(request)
        entry.host, entry.port = name, port
        default_port = _TLS if is_connect else _PLAIN
        if not self._allowed.admits(name, port, default_port):
            raise RequestRefused(f"this task does not allow the host {name}:{port}")
        addresses = await self._resolve(name, port)
        entry.begin()
        await self._connect(addresses, port, traffic)
        if is_connect:
            entry.status = 200
            await tunnel(traffic, connection.trailing_data[0], name, self._limits.head_seconds)
        else:
            authority = f"[{name}]" if ":" in name else name
            if port != _PLAIN:
                authority += f":{port}"
            entry.status = await forward(traffic, connection, request, authority, path)

    async def _resolve(self, name: str, port: int) -> list[str]:
        """Resolve a name; a private address is allowed only if the task names the host with its port."""
        try:
            async with asyncio.timeout(_CONNECT_SECONDS):
                entries = await asyncio.get_running_loop().getaddrinfo(name, port, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError, TimeoutError) as error:
            raise RequestRefused(f"{name} cannot be resolved: {error}", 502) from None
        addresses = list(dict.fromkeys(str(entry[4][0]) for entry in entries))
        if not self._allowed.admits_private(name, port) and not all(map(is_public, addresses)):
            raise RequestRefused(f"{name} resolves to a private address")
        return addresses

    async def _connect(self, addresses: list[str], port: int, traffic: Traffic) -> None:
        error_message = "no address"
        for address in addresses:
            try:
                async with asyncio.timeout(_CONNECT_SECONDS):
                    traffic.connect(*await asyncio.open_connection(address, port))
                    return
            except (OSError, TimeoutError) as error:
                error_message = str(error) or "no answer"
        raise RequestRefused(f"the host cannot be reached: {error_message}", 502)


class RequestLogEntry:
    """One request in the log: a line when the proxy allows it, and a line when it ends."""

    def __init__(self, log: int, number: int) -> None:
        self._log = log
        self._number = number
        self._start_time = time.monotonic()
        self._time = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        self.method, self.host, self.port = "", "", 0
        self.status: int | None = None
        self.reason = ""
        self._allowed = False

    def begin(self) -> None:
        """Log that the request is allowed and has begun."""
        self._allowed = True
        self._write({})

    def end(self, traffic: Traffic) -> None:
        """Log the end of the request."""
        seconds = round(time.monotonic() - self._start_time, 3)
        self._write({"status": self.status, **traffic.close_and_count(), "seconds": seconds})

    def _write(self, extra_fields: dict[str, object]) -> None:
        line = {"number": self._number, "time": self._time, "method": self.method, "host": self.host}
        line |= {"port": self.port, "allowed": self._allowed, "why": self.reason, **extra_fields}
        os.write(self._log, json.dumps(line).encode() + b"\n")


def _tunnel_target(request: h11.Request) -> tuple[str, int, str]:
    name, port = split_authority(request.target.decode(), None)
    if name is None or port is None:
        raise RequestRefused("expected CONNECT host:port", 400)
    return name, port, ""


def _plain_target(request: h11.Request) -> tuple[str, int, str]:
    """Split an absolute address into host, port and path; the Host header does not matter."""
    target = request.target.decode()
    scheme, _, location = target.partition("://")
    if scheme.lower() != "http" or request.method == b"TRACE":
        raise RequestRefused("expected CONNECT, or a method with an address that begins with http://", 400)
    end = min((position for position in map(location.find, "/?#") if position >= 0), default=len(location))
    authority, path = location[:end], location[end:]
    if "@" in authority:
        raise RequestRefused("the proxy does not forward an address with a user name", 400)
    name, port = split_authority(authority, _PLAIN)
    if name is None or port is None or "#" in path:
        raise RequestRefused("the address contains no valid host", 400)
    return name, port, path if path.startswith("/") else f"/{path}"


def _as_refusal(error: Exception) -> RequestRefused:
    """Turn any error into a refusal of one line: an error of one request must not end the proxy."""
    if isinstance(error, RequestRefused):
        return error
    if isinstance(error, TimeoutError):
        return RequestRefused("took too long", 504)
    return RequestRefused(f"interrupted: {str(error)[:200] or type(error).__name__}", 502)


async def _send_refusal(traffic: Traffic, refusal: RequestRefused) -> None:
    """Send the refusal, unless the client already has a response, and give the client time to read it."""
    if traffic.has_answered:
        return
    with contextlib.suppress(OSError, TimeoutError):
        async with asyncio.timeout(_REFUSAL_SECONDS):
            traffic.writer.write(refusal_response(refusal))
            await traffic.writer.drain()
            traffic.writer.write_eof()
            bytes_left = _MAX_DISCARDED
            while bytes_left > 0 and (data := await traffic.reader.read(1 << 16)):
                bytes_left -= len(data)


async def main(listener: int, log: int, hosts: list[str], limits: dict[str, float]) -> None:
    """Serve until the harness closes standard input."""
    proxy = Proxy(parse_allowed(hosts), ProxyLimits(**limits), log)  # type: ignore[arg-type]
    input_closed = asyncio.Event()
    asyncio.get_running_loop().add_reader(0, input_closed.set)
    listening_socket = socket.socket(fileno=listener)
    async with await asyncio.start_server(proxy.serve, sock=listening_socket, backlog=512):
        await input_closed.wait()


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))
    asyncio.run(main(**json.loads(sys.argv[1])))
