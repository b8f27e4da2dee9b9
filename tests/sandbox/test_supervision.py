"""Blocking work in a thread: a cancelled caller waits for what has begun, and for nothing else."""

from __future__ import annotations

import asyncio
import threading

import anyio

from assay.sandbox.supervision import Stop, in_thread


def test_work_that_never_began_is_not_waited_for() -> None:
    begun: list[Stop] = []

    async def cancelled_at_once() -> None:
        with anyio.fail_after(20), anyio.CancelScope() as scope:
            scope.cancel()
            await in_thread(begun.append)

    asyncio.run(cancelled_at_once())
    assert begun == []


def test_work_that_has_begun_is_asked_to_end_and_waited_for() -> None:
    steps: list[str] = []
    started = threading.Event()

    def work(stop: Stop) -> None:
        started.set()
        while stop.watch() is None:
            threading.Event().wait(0.001)
        steps.append("cleaned up")

    async def cancelled_later() -> None:
        with anyio.fail_after(20), anyio.CancelScope() as scope:
            async with anyio.create_task_group() as group:
                group.start_soon(in_thread, work)
                await anyio.to_thread.run_sync(started.wait)
                scope.cancel()
        steps.append("went on")

    asyncio.run(cancelled_later())
    assert steps == ["cleaned up", "went on"]
