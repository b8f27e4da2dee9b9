"""The protocol of one command in a fresh sandbox: bubblewrap and Docker each implement it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from assay.sandbox.confinement import Outcome, SandboxLimits
from assay.sandbox.pump import Sink, Stream


class ConfinedCommand(Protocol):
    """A started sandbox with one command and its streams."""

    limits: SandboxLimits
    stdout: Stream
    stderr: Stream

    @property
    def end_descriptor(self) -> int:
        """Descriptor that becomes readable when the command has ended."""
        ...

    def begin(self) -> None:
        """Wait until the command can run."""

    def watch(self) -> str | None:
        """Return the exceeded limit, if the harness can see one."""

    def sink(self, data: bytes = b"", *, complete: bool = True) -> Sink:
        """Return the sink that feeds the command's input."""
        ...

    def outcome(
        self,
        exceeded: str | None,
        collect: Sequence[str],
        *,
        killed: bool = False,
        target_folder: Path | None = None,
    ) -> Outcome:
        """Kill every remaining process, then read the command's output and files."""
        ...

    def release(self) -> None:
        """Close every descriptor and remove the sandbox."""
