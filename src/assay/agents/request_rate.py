"""One budget of requests and tokens a minute for a whole run, however many processes and machines make it.

A request waits until the last minute has room for it. Tokens are known only after the answer, so a request
waits while the answers of the last minute have used all tokens.

What it does not cover: the time of an attempt goes on while it waits.
"""

from __future__ import annotations

import json
import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import anyio
import anyio.to_thread

from assay.cache import locked
from assay.files import publish
from assay.run_context import run_context

MINUTE = 60.0
LONGEST_WAIT = 5.0
"""A waiting request asks again after this time at the latest: others may have used fewer tokens."""


@dataclass(frozen=True)
class RateLimits:
    """What a run may send in a minute; None: as much as it wants."""

    requests: int | None = None
    tokens: int | None = None


class LastMinute:
    """What was sent in the last minute, by any one clock."""

    def __init__(self, entries: list[tuple[float, int, int]] | None = None) -> None:
        self.entries = entries or []
        """Time, requests, tokens."""

    def reserve(self, limits: RateLimits, now: float) -> float:
        """Note one request and return 0 if there is room for it, else return how long to wait."""
        self._forget(now)
        waits = [
            self._wait(index, limit, now)
            for index, limit in ((1, limits.requests), (2, limits.tokens))
            if limit is not None
        ]
        longest = max(waits, default=0.0)
        if longest <= 0.0:
            self.entries.append((now, 1, 0))
        return longest

    def add_tokens(self, tokens: int, now: float) -> None:
        """Note the tokens of an answer."""
        self.entries.append((now, 0, tokens))

    def _forget(self, now: float) -> None:
        # A clock that was set back leaves entries of the future, which would block the run.
        self.entries = [entry for entry in self.entries if now - MINUTE < entry[0] <= now]

    def _wait(self, index: int, limit: int, now: float) -> float:
        """How long until less than the limit was used in the last minute."""
        used = sum(entry[index] for entry in self.entries)
        for entry in sorted(self.entries):
            if used < limit:
                return 0.0
            used -= entry[index]
            if used < limit:
                return entry[0] + MINUTE - now
        return 0.0


class RateAccount(Protocol):
    """Where a run counts its requests; all workers of the run use the same account."""

    def reserve(self, limits: RateLimits) -> float:
        """Note one request and return 0 if there is room for it, else return how long to wait."""
        ...

    def add_tokens(self, tokens: int) -> None:
        """Note the tokens of an answer."""
        ...


class OwnRate:
    """The account of a run that has one process."""

    def __init__(self) -> None:
        self._window = LastMinute()

    def reserve(self, limits: RateLimits) -> float:
        """Note one request and return 0 if there is room for it, else return how long to wait."""
        return self._window.reserve(limits, time.monotonic())

    def add_tokens(self, tokens: int) -> None:
        """Note the tokens of an answer."""
        self._window.add_tokens(tokens, time.monotonic())


class FolderRate:
    """The account of a run whose workers share a folder.

    The clock is that of the file system: clocks of machines may differ.
    """

    def __init__(self, folder: Path) -> None:
        self._file, self._lock = folder / "rate.json", folder / "rate-lock"

    def reserve(self, limits: RateLimits) -> float:
        """Note one request and return 0 if there is room for it, else return how long to wait."""
        with locked(self._lock):
            window, now = self._read()
            seconds = window.reserve(limits, now)
            if seconds <= 0.0:
                publish(self._file, json.dumps(window.entries))
            return seconds

    def add_tokens(self, tokens: int) -> None:
        """Note the tokens of an answer."""
        with locked(self._lock):
            window, now = self._read()
            window.add_tokens(tokens, now)
            publish(self._file, json.dumps(window.entries))

    def _read(self) -> tuple[LastMinute, float]:
        os.utime(self._lock)
        entries = json.loads(self._file.read_text()) if self._file.is_file() else []
        return LastMinute([tuple(entry) for entry in entries]), self._lock.stat().st_mtime


class RequestRate:
    """The limits of a run and its account."""

    def __init__(self, limits: RateLimits | None = None, account: RateAccount | None = None) -> None:
        self._limits = limits or RateLimits()
        self._account = account or OwnRate()

    @property
    def is_limited(self) -> bool:
        """Whether requests must be counted at all."""
        return self._limits != RateLimits()

    async def wait_turn(self) -> None:
        """Wait until the run may send one more request."""
        while self.is_limited:
            seconds = await anyio.to_thread.run_sync(self._account.reserve, self._limits)
            if seconds <= 0.0:
                return
            await anyio.sleep(min(seconds, LONGEST_WAIT))

    async def add_tokens(self, tokens: int) -> None:
        """Note the tokens of an answer."""
        if self.is_limited and tokens > 0:
            await anyio.to_thread.run_sync(self._account.add_tokens, tokens)


def request_rate() -> RequestRate:
    """The rate of the run that is going on."""
    return run_context().part(RequestRate)
