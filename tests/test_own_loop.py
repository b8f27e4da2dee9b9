"""Work in threads, and what a cancelled caller waits for."""

from __future__ import annotations

import asyncio
import signal
import tempfile
import threading
from pathlib import Path

import anyio
import pytest

from assay.own_loop import finish_in_thread


class _Writer:
    """Writes a file into a folder only when it is told to go on."""

    def __init__(self) -> None:
        self.has_begun = threading.Event()
        self.may_go_on = threading.Event()

    def write(self, folder: Path) -> str:
        self.has_begun.set()
        assert self.may_go_on.wait(60)
        (folder / "late.txt").write_text("late")
        return "written"


async def _in_scratch(writer: _Writer) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        await finish_in_thread(writer.write, Path(scratch))


async def _after_begin(writer: _Writer) -> None:
    while not writer.has_begun.is_set():
        await asyncio.sleep(0.001)


@pytest.mark.parametrize("cancellations", [1, 3])
def test_a_cancelled_caller_removes_its_folder_only_after_the_last_file_is_written(
    cancellations: int,
) -> None:
    async def cancel() -> None:
        writer = _Writer()
        task = asyncio.create_task(_in_scratch(writer))
        await _after_begin(writer)
        for _ in range(cancellations):
            task.cancel()
            await asyncio.sleep(0)
            await asyncio.sleep(0)
        assert not task.done()
        writer.may_go_on.set()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancel())


def test_the_end_of_a_limit_on_time_waits_too() -> None:
    async def limited() -> None:
        writer = _Writer()
        with anyio.CancelScope() as scope:
            async with anyio.create_task_group() as group:
                group.start_soon(_in_scratch, writer)
                await _after_begin(writer)
                scope.cancel()
                threading.Timer(0.05, writer.may_go_on.set).start()
        assert scope.cancelled_caught

    asyncio.run(limited())


def test_an_interrupt_is_reported_as_one_and_not_as_the_error_of_the_work() -> None:
    writer = _Writer()

    def fail() -> None:
        writer.write(Path("/nonexistent"))

    async def interrupted() -> None:
        work = asyncio.ensure_future(finish_in_thread(fail))
        await _after_begin(writer)
        signal.raise_signal(signal.SIGINT)
        writer.may_go_on.set()
        await work

    with pytest.raises(KeyboardInterrupt):
        asyncio.run(interrupted())


def test_answers_and_errors_come_back() -> None:
    assert asyncio.run(finish_in_thread(sorted, [2, 1], reverse=True)) == [2, 1]
    with pytest.raises(ValueError, match="invalid literal"):
        asyncio.run(finish_in_thread(int, "x"))
