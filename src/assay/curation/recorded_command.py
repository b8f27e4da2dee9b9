"""The arguments of the last `assay curate` on a folder, so that the same command can be given again."""

from __future__ import annotations

from pathlib import Path

from pydantic import ValidationError

from assay.files import publish
from assay.tasks.metric import Strict

FILE = "command.json"


class RecordedCommand(Strict):
    """command.json."""

    paper: str
    """The paper, as a whole path."""
    repository: str
    """The repository: a whole path, or an address."""
    commit: str | None = None
    licence: str | None = None
    seconds: float = 120.0
    runs: int = 3
    commands: int = 12
    python: str | None = None
    model: str | None = None
    base_url: str | None = None

    def arguments(self, out: Path) -> list[str]:
        """Return the arguments after `assay`, to the last stage."""
        options = {
            "--commit": self.commit,
            "--licence": self.licence,
            "--seconds": str(self.seconds),
            "--runs": str(self.runs),
            "--commands": str(self.commands),
            "--python": self.python,
            "--model": self.model,
            "--base-url": self.base_url,
        }
        words = [word for name, value in options.items() if value is not None for word in (name, value)]
        return ["curate", self.paper, self.repository, "--out", str(out), *words]


def write_command(folder: Path, command: RecordedCommand) -> None:
    """Record a command in a curation's folder."""
    publish(folder / FILE, command.model_dump_json(indent=2) + "\n")


def read_command(folder: Path) -> RecordedCommand | None:
    """Read the command of a folder; None if an older version of Assay made the folder."""
    try:
        return RecordedCommand.model_validate_json((folder / FILE).read_bytes())
    except (OSError, ValidationError):
        return None
