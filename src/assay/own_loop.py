"""Asynchronous work for callers that wait for it, whether or not their thread has a running event loop."""

from __future__ import annotations

from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

Answer = TypeVar("Answer")


def run_in_own_loop(work: Coroutine[Any, Any, Answer]) -> Answer:
    """The answer of a coroutine, run in a thread that has an event loop of its own."""
    # The sandbox imports this module, and its import has to stay light.
    import asyncio

    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, work).result()
