"""A program as an agent, with files of its own and a name: how both travel in the agent's text form.

Every process of a run gets agents as text, so a program with files and a name is JSON behind `program:`.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from assay.errors import UsageError
from assay.tasks.files import read_tree

PROGRAM = "program:"
PLACE = "/tmp/agent"
"""The folder of the agent's files in the sandbox; no part of the workspace, so nothing of it is handed in."""
MOST_BYTES = 64 << 20
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


@dataclass(frozen=True)
class ProgramSpec:
    """A command, the folder of its files on the host, and the name under which it is logged."""

    command: str
    files: str | None = None
    name: str | None = None

    def __post_init__(self) -> None:
        if self.name is not None and not _NAME.fullmatch(self.name):
            raise UsageError(
                f"--agent-name is {self.name!r}", hint="letters, digits, dots, hyphens and underscores"
            )
        if self.files is not None and not Path(self.files).is_dir():
            raise UsageError(f"--agent-files: {self.files!r} is no folder", hint="name the agent's folder")

    def __str__(self) -> str:
        """The text form, which `ProgramSpec.parse` reads."""
        return PROGRAM + json.dumps({key: value for key, value in asdict(self).items() if value is not None})

    @staticmethod
    def parse(text: str) -> ProgramSpec:
        """Read the text form."""
        try:
            return ProgramSpec(**json.loads(text.removeprefix(PROGRAM)))
        except (TypeError, ValueError):
            raise UsageError(f"{text!r} is no program", hint="use --agent-command") from None

    def read_files(self) -> dict[str, bytes]:
        """Return the agent's files by path; links and folders over the limit are refused."""
        if self.files is None:
            return {}
        files = read_tree(Path(self.files), self.files)
        size = sum(map(len, files.values()))
        if size > MOST_BYTES:
            raise UsageError(
                f"--agent-files: {self.files} has {size >> 20} MB, at most {MOST_BYTES >> 20} are allowed",
                hint="leave out caches and environments",
            )
        return files

    def executable(self) -> list[str]:
        """Return the paths of files with the executable bit."""
        folder = Path(self.files) if self.files is not None else Path()
        return [path for path in self.read_files() if os.access(folder / path, os.X_OK)]


async def place_files(files: Mapping[str, bytes], executable: Sequence[str]) -> None:
    """Write the agent's files into its sandbox."""
    from inspect_ai.util import sandbox

    for path, data in files.items():
        await sandbox().write_file(f"{PLACE}/{path}", data)
    if executable:
        await sandbox().exec(["chmod", "+x", "--", *executable], cwd=PLACE)
