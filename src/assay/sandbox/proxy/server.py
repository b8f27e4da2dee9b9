"""The forward proxy of one attempt: `python -m assay.sandbox.proxy.server`, outside the sandbox.

It listens on a socket that was made inside the sandbox, on its loopback, and passes CONNECT and plain HTTP to
the hosts that the task names. Each connection carries one request, so nothing can ride behind it; requests
are taken apart and written anew; names are resolved here, and the address that was looked at is the one
connected to. A tunnel must be TLS for the host that it was opened to.

What it does not cover:

- What is said inside a tunnel: a host that serves others under one address and one certificate (a CDN) can
  be asked for them.
- What an allowed host hands on: whoever allows a mirror or a search engine allows what it shows.
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

from assay.sandbox.proxy.allowed_hosts import Allowed, is_public, parse_allowed, split_authority
from assay.sandbox.proxy.forwarding import Refused, Traffic, answer_of, forward, read_head, tunnel

_PLAIN, _TLS = 80, 443
_CONNECT_SECONDS = 20.0
_LINGER_SECONDS = 1.0
_LINGER_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class ProxyLimits:
    """What one attempt may have of the proxy."""

    at_once: int = 32
    requests: int = 10_000
    request_bytes: int = 4 << 30
    """Of one request, both ways together."""
    all_bytes: int = 16 << 30
    head_seconds: float = 15.0
    """For a request to be said."""
    idle_seconds: float = 120.0
    request_seconds: float = 3600.0


class Proxy:
    """Serves one sandbox."""

    def __init__(self, allowed: Allowed, limits: ProxyLimits, log: int) -> None:
        self._allowed = allowed
        self._limits = limits
        self._log = log
        self._open = 0
        self._count = 0
        self._left = [limits.all_bytes]

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer one connection; whatever happens, it is written down and closed."""
        self._open += 1
        self._count += 1
        entry = Entry(self._log, self._count)
        traffic = Traffic(reader, writer, self._limits.idle_seconds, self._limits.request_bytes, self._left)
        try:
            async with asyncio.timeout(self._limits.request_seconds):
                await self._answer(traffic, entry)
            entry.end(traffic)
        except Exception as error:
            refusal = _refusal_of(error)
            entry.why, entry.status = str(refusal), entry.status or refusal.status
            if self._count <= self._limits.requests + 1:
                entry.end(traffic)  # before the answer: whoever has it may look for its trace at once
            await _say_no(traffic, refusal)
        finally:
            self._open -= 1
            writer.close()

    async def _answer(self, traffic: Traffic, entry: Entry) -> None:
        if self._open > self._limits.at_once:
            raise Refused(f"more than {self._limits.at_once} requests at once", 503)
        if self._count > self._limits.requests:
            raise Refused(f"more than {self._limits.requests} requests in one attempt")
        try:
            async with asyncio.timeout(self._limits.head_seconds):
                connection, request = await read_head(traffic)
        except TimeoutError:
            raise Refused(f"no request within {self._limits.head_seconds:g} seconds", 408) from None
        entry.method = request.method.decode()[:20]
        connects = request.method == b"CONNECT"
        name, port, path = _tunnel_target(request) if connects else _plain_target(request)
        entry.host, entry.port = name, port
        usual = _TLS if connects else _PLAIN
        if not self._allowed.admits(name, port, usual):
            raise Refused(f"{name}:{port} is not among the hosts that this task allows")
        addresses = await self._addresses(name, port)
        entry.begin()
        await self._reach(addresses, port, traffic)
        if connects:
            entry.status = 200
            await tunnel(traffic, connection.trailing_data[0], name, self._limits.head_seconds)
        else:
            authority = f"[{name}]" if ":" in name else name
            if port != _PLAIN:
                authority += f":{port}"
            entry.status = await forward(traffic, connection, request, authority, path)

    async def _addresses(self, name: str, port: int) -> list[str]:
        """Where a name leads; a private place only where the task names it with its port."""
        try:
            async with asyncio.timeout(_CONNECT_SECONDS):
                found = await asyncio.get_running_loop().getaddrinfo(name, port, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError, TimeoutError) as error:
            raise Refused(f"{name} cannot be resolved: {error}", 502) from None
        addresses = list(dict.fromkeys(str(each[4][0]) for each in found))
        if not self._allowed.admits_private(name, port) and not all(map(is_public, addresses)):
            raise Refused(f"{name} leads to a private address")
        return addresses

    async def _reach(self, addresses: list[str], port: int, traffic: Traffic) -> None:
        complaint = "it has no address"
        for address in addresses:
            try:
                async with asyncio.timeout(_CONNECT_SECONDS):
                    traffic.join(*await asyncio.open_connection(address, port))
                    return
            except (OSError, TimeoutError) as error:
                complaint = str(error) or "it does not answer"
        raise Refused(f"the host cannot be reached: {complaint}", 502)


class Entry:
    """One request in the log: a line when it is let through, one when it ends."""

    def __init__(self, log: int, number: int) -> None:
        self._log = log
        self._number = number
        self._began = time.monotonic()
        self._time = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        self.method, self.host, self.port = "", "", 0
        self.status: int | None = None
        self.why = ""
        self._allowed = False

    def begin(self) -> None:
        """It is allowed, and under way."""
        self._allowed = True
        self._write({})

    def end(self, traffic: Traffic) -> None:
        """It is over."""
        seconds = round(time.monotonic() - self._began, 3)
        self._write({"status": self.status, **traffic.counts(), "seconds": seconds})

    def _write(self, more: dict[str, object]) -> None:
        line = {"number": self._number, "time": self._time, "method": self.method, "host": self.host}
        line |= {"port": self.port, "allowed": self._allowed, "why": self.why, **more}
        os.write(self._log, json.dumps(line).encode() + b"\n")


def _tunnel_target(request: h11.Request) -> tuple[str, int, str]:
    name, port = split_authority(request.target.decode(), None)
    if name is None or port is None:
        raise Refused("expected CONNECT host:port", 400)
    return name, port, ""


def _plain_target(request: h11.Request) -> tuple[str, int, str]:
    """The parts of an absolute address; the Host header is not asked."""
    target = request.target.decode()
    scheme, _, rest = target.partition("://")
    if scheme.lower() != "http" or request.method == b"TRACE":
        raise Refused("expected CONNECT, or a method with an address that begins with http://", 400)
    end = min((at for at in map(rest.find, "/?#") if at >= 0), default=len(rest))
    authority, path = rest[:end], rest[end:]
    if "@" in authority:
        raise Refused("an address with a user's name is not passed on", 400)
    name, port = split_authority(authority, _PLAIN)
    if name is None or port is None or "#" in path:
        raise Refused("the address names no host in its usual form", 400)
    return name, port, path if path.startswith("/") else f"/{path}"


def _refusal_of(error: Exception) -> Refused:
    """What broke, in one line: nothing that happens to one request may end the proxy."""
    if isinstance(error, Refused):
        return error
    if isinstance(error, TimeoutError):
        return Refused("took too long", 504)
    return Refused(f"broke off: {str(error)[:200] or type(error).__name__}", 502)


async def _say_no(traffic: Traffic, refusal: Refused) -> None:
    """Answer in one line, where an answer can still be given, and let the other side read it."""
    if traffic.answered:
        return
    with contextlib.suppress(OSError, TimeoutError):
        async with asyncio.timeout(_LINGER_SECONDS):
            traffic.writer.write(answer_of(refusal))
            await traffic.writer.drain()
            traffic.writer.write_eof()
            left = _LINGER_BYTES
            while left > 0 and (data := await traffic.reader.read(1 << 16)):
                left -= len(data)


async def main(listener: int, log: int, hosts: list[str], limits: dict[str, float]) -> None:
    """Serve until standard input, which the harness holds, is closed."""
    proxy = Proxy(parse_allowed(hosts), ProxyLimits(**limits), log)  # type: ignore[arg-type]
    ended = asyncio.Event()
    asyncio.get_running_loop().add_reader(0, ended.set)
    inside = socket.socket(fileno=listener)
    async with await asyncio.start_server(proxy.serve, sock=inside, backlog=512):
        await ended.wait()


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))
    asyncio.run(main(**json.loads(sys.argv[1])))
