"""What `assay fetch` asks a benchmark to do."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from assay.errors import UsageError


def keep_silent(line: str) -> None:
    """Print nothing."""


@dataclass(frozen=True)
class FetchRequest:
    """The options of `assay fetch`; a benchmark refuses the options that it does not support."""

    source: str | None = None
    """A checkout, a folder or the address of a git repository, instead of the benchmark's own address."""
    commit: str | None = None
    """A commit to use instead of the pinned one."""
    papers: Sequence[str] = ()
    """`PAPER` or `PAPER=FOLDER`."""
    challenge: str | None = None
    """Fetch only the inputs of this challenge: `--only CHALLENGE`."""
    tell: Callable[[str], None] = keep_silent
    """Receives one line at the start of each long step."""

    def refuse_only(self, name: str) -> None:
        """Raise an error if `--only` is used with a benchmark that has no inputs."""
        if self.challenge is not None:
            raise UsageError(f"{name} has no --only", hint="leave it out: it is for suites with inputs")
