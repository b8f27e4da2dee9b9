"""What a bridged program may send to its model in one attempt, in bytes and in requests at a time.

Inspect keeps every message of a request in memory and on disk until the attempt ends. A message that an
earlier request already contained is kept once and counts once.

What it does not cover: the JSON of a request is read before it is checked. There the limits of
`assay.sandbox.session.service_requests` apply; requests that wait are files in the sandbox, whose disk has a
limit.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, is_dataclass
from time import monotonic
from typing import TYPE_CHECKING

import anyio
from pydantic import BaseModel

from assay.agents.allowance import turns_left
from assay.inspect_private import BRIDGE_LOGGERS
from assay.run_context import run_context
from assay.sandbox.session.service_requests import TOO_LARGE

if TYPE_CHECKING:
    from inspect_ai.model import ChatMessage, GenerateConfig
    from inspect_ai.tool import ToolInfo

MIB = 1 << 20
MOST_IN_REQUEST = 16 * MIB
"""Bytes of one request: four million tokens of English text."""
MOST_IN_ATTEMPT = 256 * MIB
"""Bytes of all requests of an attempt; a message that is sent again does not count again."""
PER_MESSAGE = 1_000
PER_MODEL = 100
"""Bytes that a message, and any part of a request with fields of its own, takes beside its text."""
MOST_PARTS = 10_000
"""Lists and tables of a request; a message has one or more. Inspect makes an object of each."""
PARTS_PER_SECOND = 2_000
"""Of all requests of an attempt. Each part takes the harness 0.1 to 0.3 ms, and others wait meanwhile."""
MOST_WARNINGS = 100
"""Warnings about the requests of one attempt that are kept."""
LONGEST_WARNING = 1_000
MOST_AT_A_TIME = 8
"""Requests of one attempt that the model answers at the same time; other attempts use the same service."""
SPARE_CONNECTIONS = 4
"""Connections to a service beside those of the attempts: for the requests of the harness itself."""
DEEPEST = 100
"""How deep lists and tables of a request may be nested: a log cannot hold much more."""
WAIT_SECONDS = 0.1
"""How often a request that waits for its turn looks again."""


@dataclass(frozen=True)
class ConnectionShare:
    """How many requests of one attempt are sent at the same time, so that no attempt waits for another."""

    most: int = MOST_AT_A_TIME


class RequestTooLarge(Exception):
    """A request of the program that is not sent; the bridge answers with this status."""

    status_code = 413


class BridgeTraffic:
    """The requests of one attempt."""

    def __init__(self) -> None:
        self.is_over = False
        """Whether a limit of the attempt was exceeded, so that nothing more is sent."""
        self.warnings = 0
        self._most = run_context().part(ConnectionShare).most
        self._holders = 0
        """How many requests wait to be the only one."""
        self._kept = 0
        self._in_flight = 0
        self._sizes: dict[str, int] = {}
        """Bytes of each message that was sent, by the id that the bridge gives to its content."""
        self._free_at = 0.0
        """When the requests so far have used the time that their parts may take."""

    def admit(
        self, messages: Sequence[ChatMessage], tools: Sequence[ToolInfo], config: GenerateConfig
    ) -> None:
        """Count a request; raise `RequestTooLarge` for one that is not sent."""
        new = {message.id or "": message for message in messages if message.id not in self._sizes}
        sizes = {name: PER_MESSAGE + size_of(message) for name, message in new.items()}
        settings = size_of([*tools, config])
        request_bytes = settings + sum(sizes.get(message.id or "", 0) for message in messages)
        request_bytes += sum(self._sizes.get(message.id or "", 0) for message in messages)
        if request_bytes > MOST_IN_REQUEST:
            most = MOST_IN_REQUEST // MIB
            raise RequestTooLarge(
                f"this request has {request_bytes / MIB:.1f} MiB, and at most {most} MiB are allowed"
            )
        added = settings + sum(sizes.values())
        if self._kept + added > MOST_IN_ATTEMPT:
            raise RequestTooLarge(
                f"the requests of this attempt have more than {MOST_IN_ATTEMPT // MIB} MiB together"
            )
        self._kept += added
        self._sizes |= sizes

    async def pace(self, parts: int) -> None:
        """Wait until the attempt may send a request of so many parts.

        As many parts as one request may have are free after a pause.
        """
        now = monotonic()
        self._free_at = max(self._free_at, now - MOST_PARTS / PARTS_PER_SECOND) + parts / PARTS_PER_SECOND
        await anyio.sleep(max(0.0, self._free_at - now))

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        """Wait until there is room for one more request, by the limit on turns too, and hold the room."""
        while not self.is_over and self._is_full():
            await anyio.sleep(WAIT_SECONDS)
        if self.is_over:
            raise RuntimeError("the attempt is over")
        self._in_flight += 1
        try:
            yield
        finally:
            self._in_flight -= 1

    @asynccontextmanager
    async def alone(self) -> AsyncIterator[None]:
        """Hold back new requests and wait until those that are in flight have ended or wait here too.

        A program that fills the service with its own requests must not make the service seem to fail.
        """
        self._holders += 1
        try:
            while not self.is_over and self._in_flight > self._holders:
                await anyio.sleep(WAIT_SECONDS)
            yield
        finally:
            self._holders -= 1

    def _is_full(self) -> bool:
        left = turns_left()
        return (
            self._holders > 0
            or self._in_flight >= self._most
            or (left is not None and self._in_flight > left)
        )


async def admit_parts(request: object) -> None:
    """Wait until a request may be read; raise `RequestTooLarge` if it is too large or has too many parts."""
    parts = count_parts(request)
    traffic = _traffic.get()
    if traffic is not None:
        await traffic.pace(parts)


def count_parts(request: object) -> int:
    """Count lists and tables; raise `RequestTooLarge` for too many, or if nobody could read the request."""
    if request == TOO_LARGE:
        raise RequestTooLarge(f"this request is too large; at most {MOST_IN_REQUEST // MIB} MiB are allowed")
    waiting, count = [request], 0
    while waiting:
        part = waiting.pop()
        count += 1
        if count > MOST_PARTS:
            raise RequestTooLarge(f"this request has more than {MOST_PARTS:,} lists and objects")
        values = part.values() if isinstance(part, dict) else part if isinstance(part, list) else ()
        waiting += [value for value in values if isinstance(value, dict | list)]
    return count


def size_of(value: object) -> int:
    """Return about how many bytes a part of a request takes in memory or in a log.

    Raise `RequestTooLarge` if it is nested too deep.
    """
    total, parts, depth = 0, [value], 0
    while parts:
        inner: list[object] = []
        for part in parts:
            if isinstance(part, BaseModel):
                total += PER_MODEL
                inner += [*part.__dict__.values(), part.__pydantic_extra__]
            elif is_dataclass(part):
                total += PER_MODEL
                inner += vars(part).values()
            elif isinstance(part, Mapping):
                inner += [*part, *part.values()]
            elif isinstance(part, list | tuple | set):
                inner += part
            elif part is not None:
                total += sys.getsizeof(part)
        parts, depth = inner, depth + 1
        if depth > DEEPEST:
            raise RequestTooLarge(f"this request is nested more than {DEEPEST} levels deep")
    return total


_traffic: ContextVar[BridgeTraffic | None] = ContextVar("assay_bridge_traffic", default=None)


@contextmanager
def watched_traffic() -> Iterator[BridgeTraffic]:
    """The traffic of the attempt that is going on; its warnings are short and few."""
    for name in BRIDGE_LOGGERS:
        logging.getLogger(name).addFilter(_shorten)
    traffic = BridgeTraffic()
    token = _traffic.set(traffic)
    try:
        yield traffic
    finally:
        _traffic.reset(token)


def _shorten(record: logging.LogRecord) -> bool:
    """Cut a warning of the bridge, which may quote a large request; drop it after too many."""
    traffic = _traffic.get()
    if traffic is None:
        return True
    traffic.warnings += 1
    record.msg, record.args = record.getMessage()[:LONGEST_WARNING], None
    record.exc_info = record.exc_text = None
    return traffic.warnings <= MOST_WARNINGS
