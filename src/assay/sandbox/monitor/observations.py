"""Observations of an attempt from outside its sandbox: programs, connections, opened canaries, requests."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from ipaddress import ip_address
from typing import Any

_MAX_LOGGED = 60
"""How many entries of each kind a log contains."""
_MAX_CHARACTERS = 160
_NAME_SERVICE = 53


@dataclass(frozen=True, slots=True)
class Program:
    """A program that code inside started, or tried to start, with its first arguments."""

    name: str
    """Name of the program file, independent of its arguments."""
    words: tuple[str, ...]
    cut: bool = False
    """True if the program has more arguments than `words`."""

    def __str__(self) -> str:
        return " ".join((self.name, *self.words[1:], *("…" if self.cut else "")))


@dataclass(frozen=True, slots=True)
class Connection:
    """An address that code inside tried to reach; only loopback addresses answer."""

    address: str
    port: int

    @property
    def is_loopback(self) -> bool:
        """True if the connection stays inside the sandbox."""
        address = ip_address(self.address)
        mapped = getattr(address, "ipv4_mapped", None)
        return (mapped or address).is_loopback or address.is_unspecified

    @property
    def is_lookup(self) -> bool:
        """True for a DNS query; the sandbox has no name server except itself."""
        return self.port == _NAME_SERVICE

    def __str__(self) -> str:
        return f"[{self.address}]:{self.port}" if ":" in self.address else f"{self.address}:{self.port}"


@dataclass(frozen=True, slots=True)
class ProxyRequest:
    """One request that reached the proxy."""

    time: str
    method: str
    host: str
    port: int
    allowed: bool
    why: str
    """Reason for a refusal or an interruption; empty otherwise."""
    status: int | None = None
    """HTTP status from the host or from the proxy; None while the request is open."""
    sent: int | None = None
    received: int | None = None
    seconds: float | None = None


@dataclass(frozen=True, slots=True)
class Observations:
    """All observations; `by` is None if observation was impossible, and `why` contains the reason."""

    by: str | None = None
    why: str = ""
    programs: tuple[Program, ...] = ()
    connections: tuple[Connection, ...] = ()
    unread: int = 0
    """Number of system calls whose arguments could not be read."""
    full: bool = False
    """True if the log was full, so that later events are missing."""
    opened: tuple[str, ...] = ()
    """Opened canary files."""
    requests: tuple[ProxyRequest, ...] = ()

    def as_log(self) -> dict[str, Any]:
        """Return the first observations for a log, with the counts of all."""
        return {
            "by": self.by,
            "why": self.why,
            "programs": [str(program)[:_MAX_CHARACTERS] for program in self.programs[:_MAX_LOGGED]],
            "connections": [str(connection) for connection in self.connections[:_MAX_LOGGED]],
            "opened": list(self.opened[:_MAX_LOGGED]),
            "requests": [asdict(request) for request in self.requests[:_MAX_LOGGED]],
            "counts": {
                "programs": len(self.programs),
                "connections": len(self.connections),
                "opened": len(self.opened),
                "requests": len(self.requests),
                "unread": self.unread,
            },
            "full": self.full,
        }


def observations_from(fields: Mapping[str, Any]) -> Observations:
    """Read observations that `dataclasses.asdict` made plain."""
    return Observations(
        by=fields["by"],
        why=fields["why"],
        programs=tuple(
            Program(program["name"], tuple(program["words"]), program["cut"])
            for program in fields["programs"]
        ),
        connections=tuple(Connection(**connection) for connection in fields["connections"]),
        unread=fields["unread"],
        full=fields["full"],
        opened=tuple(fields["opened"]),
        requests=tuple(ProxyRequest(**request) for request in fields["requests"]),
    )


def complete_lines(log: bytes) -> Iterable[dict[str, Any]]:
    """Yield the complete lines of a log that may still grow."""
    for line in log.splitlines(keepends=True):
        if line.endswith(b"\n"):
            yield json.loads(line)


def read_observations(log: bytes) -> Observations:
    """Read the listener process's log, without duplicates."""
    programs: dict[Program, None] = {}
    connections: dict[Connection, None] = {}
    unread, full = 0, False
    for line in complete_lines(log):
        if "program" in line:
            programs[Program(line["program"], tuple(line["words"]), "cut" in line)] = None
        elif "address" in line:
            connections[Connection(line["address"], line["port"])] = None
        unread += "unread" in line
        full = full or "full" in line
    return Observations(
        by="seccomp", programs=tuple(programs), connections=tuple(connections), unread=unread, full=full
    )


def read_requests(log: bytes) -> tuple[ProxyRequest, ...]:
    """Read the proxy's log; an open request has only its first line."""
    requests: dict[int, ProxyRequest] = {}
    for line in complete_lines(log):
        number = line.pop("number")
        requests[number] = ProxyRequest(**line)
    return tuple(requests.values())
