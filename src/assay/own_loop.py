"""Work in a thread of its own, for callers that wait until it has ended."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, ParamSpec, TypeVar

Answer = TypeVar("Answer")
Arguments = ParamSpec("Arguments")


def run_in_own_loop(work: Coroutine[Any, Any, Answer]) -> Answer:
    """The answer of a coroutine, run in a thread that has an event loop of its own."""
    # The sandbox imports this module, and its import has to stay light.
    import asyncio

    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, work).result()


async def finish_in_thread(
    function: Callable[Arguments, Answer], *arguments: Arguments.args, **named: Arguments.kwargs
) -> Answer:
    """Run a function in a thread; a caller that is cancelled waits until the function has ended.

    For functions that write into a folder which the caller removes: `asyncio.to_thread` would go on
    writing while the folder is removed, and the removal would fail.
    """
    import asyncio
    from contextlib import suppress

    import anyio

    work = asyncio.ensure_future(asyncio.to_thread(function, *arguments, **named))
    try:
        return await asyncio.shield(work)
    except asyncio.CancelledError:
        with anyio.CancelScope(shield=True):
            while not work.done():
                with suppress(asyncio.CancelledError):
                    await asyncio.wait([work])
        if not work.cancelled():
            work.exception()  # the cancellation is what the caller reports
        raise
