"""Turns on the cores of this machine: a task whose time counts runs alone, other attempts run together.

An attempt that may share the cores has a shared lock, one that must be alone an exclusive lock. Whoever waits
for the exclusive lock closes a gate first, so that the attempts before it end and no others begin. An attempt
takes its GPUs before its turn, in this order everywhere, so two attempts never wait for each other.

What it does not cover: other users and other programs, which do not use these locks.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from assay.run_context import run_context
from assay.sandbox.host.locks import held_in, lock_folder, try_lock

_PAUSE_SECONDS = 0.2
_current_turn: ContextVar[MachineTurn | None] = ContextVar("assay_machine_turn", default=None)


@dataclass(frozen=True)
class BoundCores:
    """Whether a scheduler has bound this process to cores of its own; then nobody needs to wait."""

    are_bound: bool = False


class MachineTurn:
    """The right to use the cores of this machine, alone or together with others, until it is released."""

    def __init__(self, lock: int | None, *, alone: bool) -> None:
        self._lock = lock
        self.alone = alone

    def release(self) -> None:
        """Let others have their turn; a second call does nothing."""
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None


async def take_turn(*, alone: bool = False) -> MachineTurn:
    """Wait for a turn on this machine; with `alone`, until no other attempt runs."""
    if run_context().part(BoundCores).are_bound:
        return MachineTurn(None, alone=alone)
    folder = lock_folder("cores")
    mode = fcntl.LOCK_EX if alone else fcntl.LOCK_SH
    gate = await _wait_for(folder / "gate.lock", mode)
    try:
        return MachineTurn(await _wait_for(folder / "machine.lock", mode), alone=alone)
    finally:
        os.close(gate)


@asynccontextmanager
async def machine_turn(*, alone: bool = False) -> AsyncIterator[MachineTurn]:
    """A turn for a block; a nested request gets the same turn and does not wait."""
    current = _current_turn.get()
    if current is not None and (current.alone or not alone):
        yield current
        return
    with held_in(_current_turn, await take_turn(alone=alone)) as turn:
        yield turn


async def _wait_for(path: os.PathLike[str], mode: int) -> int:
    import anyio

    while (lock := try_lock(path, mode)) is None:
        await anyio.sleep(_PAUSE_SECONDS)
    return lock
