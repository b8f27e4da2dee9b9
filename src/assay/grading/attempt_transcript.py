"""What the harness itself saw of an attempt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from assay.sandbox import Observations


@dataclass(frozen=True)
class Written:
    """One file as an agent wrote it."""

    path: str
    """Below the workspace, or absolute elsewhere."""
    text: str
    after: int = 0
    """How many commands came before it."""


@dataclass(frozen=True)
class Transcript:
    """What the harness itself saw of an attempt."""

    commands: Sequence[str] = ()
    outputs: Sequence[str] = ()
    written: Sequence[Written] = ()
    """Every file that the agent wrote by a tool, each version of it."""
    left_out: int = 0
    """Texts of which not everything is here."""
    watched: Observations | None = None
    """What was seen from outside the sandbox; None where there was no attempt to look at."""
