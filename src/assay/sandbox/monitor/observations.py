"""What was seen of an attempt from outside its sandbox: programs, connections, openings, requests."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from ipaddress import ip_address
from typing import Any

_KEPT = 60
"""How many of each a log keeps."""
_LONGEST = 160
_NAME_SERVICE = 53


@dataclass(frozen=True, slots=True)
class Program:
    """A program that was started, or tried to be, with its first words."""

    name: str
    """The file's own name, whatever the words say."""
    words: tuple[str, ...]
    cut: bool = False
    """Whether there were more words than were read."""

    def __str__(self) -> str:
        return " ".join((self.name, *self.words[1:], *("…" if self.cut else "")))


@dataclass(frozen=True, slots=True)
class Connection:
    """An address that something inside tried to reach; beyond loopback none answers."""

    address: str
    port: int

    @property
    def is_loopback(self) -> bool:
        """Whether it stays inside."""
        address = ip_address(self.address)
        mapped = getattr(address, "ipv4_mapped", None)
        return (mapped or address).is_loopback or address.is_unspecified

    @property
    def is_lookup(self) -> bool:
        """Whether a name's address was asked for; the sandbox knows no other name server than itself."""
        return self.port == _NAME_SERVICE

    def __str__(self) -> str:
        return f"[{self.address}]:{self.port}" if ":" in self.address else f"{self.address}:{self.port}"


@dataclass(frozen=True, slots=True)
class Request:
    """One request that reached the proxy."""

    time: str
    method: str
    host: str
    port: int
    allowed: bool
    why: str
    """Why it was refused or broken off; empty where it was not."""
    status: int | None = None
    """What the host answered, or the proxy in its place; None while it is open."""
    sent: int | None = None
    received: int | None = None
    seconds: float | None = None


@dataclass(frozen=True, slots=True)
class Watched:
    """Everything that was seen; `by` is None where nobody could look, and `why` says why."""

    by: str | None = None
    why: str = ""
    programs: tuple[Program, ...] = ()
    connections: tuple[Connection, ...] = ()
    unread: int = 0
    """System calls of which only the kind is known."""
    full: bool = False
    """Whether more was seen than could be kept."""
    opened: tuple[str, ...] = ()
    """Canary files that were opened."""
    requests: tuple[Request, ...] = ()

    def as_log(self) -> dict[str, Any]:
        """The beginning of it, for a log; counts tell what was left out."""
        return {
            "by": self.by,
            "why": self.why,
            "programs": [str(each)[:_LONGEST] for each in self.programs[:_KEPT]],
            "connections": [str(each) for each in self.connections[:_KEPT]],
            "opened": list(self.opened[:_KEPT]),
            "requests": [asdict(each) for each in self.requests[:_KEPT]],
            "counts": {
                "programs": len(self.programs),
                "connections": len(self.connections),
                "opened": len(self.opened),
                "requests": len(self.requests),
                "unread": self.unread,
            },
            "full": self.full,
        }


def lines_of(log: bytes) -> Iterable[dict[str, Any]]:
    """The whole lines of a log that may still be written to."""
    for line in log.splitlines(keepends=True):
        if line.endswith(b"\n"):
            yield json.loads(line)


def read_watch(log: bytes) -> Watched:
    """What the watcher wrote down, each thing once."""
    programs: dict[Program, None] = {}
    connections: dict[Connection, None] = {}
    unread, full = 0, False
    for line in lines_of(log):
        if "program" in line:
            programs[Program(line["program"], tuple(line["words"]), "cut" in line)] = None
        elif "address" in line:
            connections[Connection(line["address"], line["port"])] = None
        unread += "unread" in line
        full = full or "full" in line
    return Watched(
        by="seccomp", programs=tuple(programs), connections=tuple(connections), unread=unread, full=full
    )


def read_requests(log: bytes) -> tuple[Request, ...]:
    """What the proxy wrote down; a request that is under way has a first line only."""
    requests: dict[int, Request] = {}
    for line in lines_of(log):
        number = line.pop("number")
        requests[number] = Request(**line)
    return tuple(requests.values())
