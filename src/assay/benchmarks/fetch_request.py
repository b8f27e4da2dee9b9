"""What `assay fetch` asks of a benchmark."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from assay.errors import UsageError


def keep_silent(line: str) -> None:
    """Print nothing."""


@dataclass(frozen=True)
class FetchRequest:
    """The options of `assay fetch`; a benchmark refuses those that it does not have."""

    source: str | None = None
    """A checkout, a folder, or an address of git, in place of the benchmark's own home."""
    commit: str | None = None
    """Another commit than the pinned one."""
    papers: Sequence[str] = ()
    """`PAPER` or `PAPER=FOLDER`."""
    challenge: str | None = None
    """Bring the inputs of this challenge alone: `--only CHALLENGE`."""
    tell: Callable[[str], None] = keep_silent
    """Gets one line for each long step, when it begins."""

    def refuse_only(self, name: str) -> None:
        """Raise where `--only` was given to a benchmark that has no inputs."""
        if self.challenge is not None:
            raise UsageError(f"{name} has no --only", hint="leave it out: it is for suites with inputs")
