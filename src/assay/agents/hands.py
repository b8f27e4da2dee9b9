"""The hands of a scripted agent: what it can do in its workspace, and nothing more."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING

from assay.tasks import Task

if TYPE_CHECKING:
    from assay.protocols import Sandbox


@dataclass(frozen=True)
class Hands:
    """A task and the sandbox in which it is tried.

    Calibrators know the whole task, truth included: an oracle hands it in, and a cheat is as well informed
    as the worst cheat could be.
    """

    task: Task
    sandbox: Sandbox

    async def run(self, command: str, seconds: int = 60) -> str:
        """What a shell command prints in the workspace; failure and silence are answers too."""
        from inspect_ai.util import OutputLimitExceededError

        try:
            process = await self.sandbox.exec(["bash", "-c", command], cwd="/workspace", timeout=seconds)
        except (TimeoutError, OSError, UnicodeError, OutputLimitExceededError) as error:
            return f"{type(error).__name__}: {error}"
        return process.stdout + process.stderr

    async def prepare(self, command: str, seconds: int = 60) -> None:
        """Run a command that must succeed; an agent whose preparation fails would prove nothing."""
        process = await self.sandbox.exec(["bash", "-c", command], cwd="/workspace", timeout=seconds)
        if process.returncode != 0:
            raise RuntimeError(f"{command!r} exited with {process.returncode}: {process.stderr[-500:]}")

    async def write(self, path: str, content: str | bytes) -> None:
        """Write one file of the workspace."""
        await self.sandbox.write_file(f"/workspace/{path}", content)

    async def read(self, path: str) -> str:
        """The text of one file of the workspace, empty where there is none."""
        return await self.run(f"cat {shlex.quote(path)} 2>/dev/null")

    async def hand_in_gold(self, *, but: str | None = None) -> None:
        """Hand in the oracle's files, but for one."""
        for path, data in self.task.gold_files.items():
            if path != but:
                await self.write(path, data)
