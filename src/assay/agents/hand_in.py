"""Ends running attempts before the time of their cluster job is over, so that each hands in what it has."""

from __future__ import annotations

import anyio
from inspect_ai.solver import Generate, Solver, TaskState

from assay.errors import AssayError
from assay.run_context import run_context

LIMIT = "job-time"
"""What a log names as the limit that ended such an attempt."""
LOOK_SECONDS = 0.5


class JobEnds(AssayError):
    """The job of this worker is about to end; the attempt was not begun and can be made later."""


class HandInRequest:
    """Whether attempts must end now; a signal handler may set it."""

    def __init__(self, *, possible: bool = False) -> None:
        self.possible = possible
        """False where nobody can ask, as on a machine without a scheduler."""
        self.requested = False

    def check(self) -> None:
        """Refuse to begin an attempt that could not end."""
        if self.requested:
            raise JobEnds(
                "the time of the sandbox's cluster job is over, so this attempt was not begun",
                hint="the same command makes it; a longer time limit of the job avoids it",
            )


def hand_in_request() -> HandInRequest:
    """The request of the process that makes the attempts."""
    return run_context().part(HandInRequest)


async def solve_until_asked(inner: Solver, state: TaskState, generate: Generate) -> TaskState:
    """Run a solver; if the job's time ends first, stop it and note why."""
    request = hand_in_request()
    if not request.possible:
        return await inner(state, generate)
    failure: Exception | None = None
    work = anyio.CancelScope()
    async with anyio.create_task_group() as group:
        group.start_soon(_watch, request, work)
        with work:
            try:
                state = await inner(state, generate)
            except Exception as error:
                failure = error
        group.cancel_scope.cancel()
    if failure is not None:
        raise failure
    if work.cancelled_caught:
        state.metadata["limit"] = LIMIT
    return state


async def _watch(request: HandInRequest, work: anyio.CancelScope) -> None:
    while not request.requested:
        await anyio.sleep(LOOK_SECONDS)
    work.cancel()
