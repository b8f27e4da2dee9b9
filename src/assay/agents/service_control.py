"""Control requests: while requests of an attempt fail, the harness sends its own to the same service.

An agent decides what its requests contain, and which of them it gives up. So the time in which they fail says
nothing about the service. A control request does: if the service answers it, the service does not fail.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TypeVar

import anyio
from inspect_ai.util import LimitExceededError

from assay.agents.request_faults import answers_another, unanswered_requests
from assay.agents.service_watch import service_watch

CONTROL_SECONDS = 30.0
"""Seconds between two control requests."""
CONTROLS = 8
"""How many control requests fit at least into the time of an attempt."""

Result = TypeVar("Result")


async def with_control_requests(
    work: Callable[[], Awaitable[Result]], allowed_seconds: float | None
) -> Result:
    """Do an attempt's work; while its service fails, send control requests beside it."""
    pause = min(CONTROL_SECONDS, (allowed_seconds or CONTROL_SECONDS * CONTROLS) / CONTROLS)
    done: list[Result] = []
    failure: Exception | None = None
    async with anyio.create_task_group() as group:
        group.start_soon(_control, pause)
        try:
            done.append(await work())
        except Exception as error:
            failure = error
        group.cancel_scope.cancel()
    if failure is not None:
        raise failure
    return done[0]


async def _control(pause: float) -> None:
    while True:
        await anyio.sleep(pause)
        if service_watch().failing_seconds() < pause:
            continue
        unanswered = unanswered_requests()
        try:
            if unanswered and await answers_another(unanswered[0].model):
                service_watch().answered()
        except LimitExceededError:
            return
