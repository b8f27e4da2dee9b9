"""assay shell: a terminal in exactly what an agent sees."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from assay.sandbox import Confinement


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command()(shell)


def shell(
    task: Annotated[str, typer.Argument(help="suite/id, an id of the default suite, or a task folder.")],
    command: Annotated[str | None, typer.Option("-c", help="Run this instead of a terminal.")] = None,
) -> None:
    """Open a shell in a task's workspace, in the sandbox that an agent would get; nothing is kept."""
    import asyncio

    from assay.api.tasks import find_task
    from assay.evaluation.samples import sandbox_config

    agent_task = find_task(task)
    if command is None:
        print(f"{agent_task.id}: what an agent sees; nothing is kept after `exit`", file=sys.stderr)
    raise typer.Exit(asyncio.run(_open(sandbox_config(agent_task).confinement(), command)))


async def _open(confinement: Confinement, command: str | None) -> int:
    import asyncio

    from assay.sandbox import Box

    async with Box(confinement) as box:
        if command is None:
            terminal = await asyncio.create_subprocess_exec(
                sys.executable, "-m", "assay.sandbox.session.shell", box.terminal
            )
            return await terminal.wait()
        process = await box.exec(["/bin/bash", "-c", command])
        sys.stdout.buffer.write(process.stdout)
        sys.stderr.buffer.write(process.stderr)
        return process.returncode
