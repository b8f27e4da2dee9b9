"""A person at a terminal inside the sandbox: Inspect's human agent, graded on the files that are left.

The command that opens the terminal is printed when the attempt begins (Inspect's full display shows it in a
panel instead). Inside, `task instructions`, `task status`, `task submit` and `task quit` do what they say;
`task stop` stops the clock. Everything works without a display too, so a script can be the person.

One person is asked at a time, but the time allowed for an attempt runs while it waits for its turn: give a
person one task, with --task.
"""

from __future__ import annotations

from collections.abc import Mapping

import anyio
from inspect_ai.agent import as_solver, human_cli
from inspect_ai.solver import Generate, Solver, TaskState
from inspect_ai.util import sandbox

from assay.tasks import Task

# Inspect's commands are aliases of ~/.bashrc; a recorded session's login shell reads it by way of a profile.
PROFILE = "test -e ~/.profile -o -e ~/.bash_profile || echo '. ~/.bashrc' > ~/.bash_profile"


def human_solver(tasks: Mapping[str, Task]) -> Solver:
    """A person, for any task."""
    turn = anyio.Lock()

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        async with turn:
            await sandbox().exec(["/bin/sh", "-c", PROFILE])
            # The session is recorded by util-linux's `script`; without it the terminal would close at once.
            recorder = await sandbox().exec(["/bin/sh", "-c", "command -v script"])
            person = as_solver(human_cli(answer=False, record_session=recorder.success))
            return await person(state, generate)

    return solve
