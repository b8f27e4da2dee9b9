"""Where a fact comes from: a place in the paper, a line of code, or an output of a run."""

from __future__ import annotations

from typing import Literal

from assay.tasks.metric import Strict

MOST_QUOTED = 400
"""Characters of a passage that an evidence quotes."""


class EvidencePlace(Strict):
    """One place that shows a fact."""

    kind: Literal["paper", "code", "run", "model"]
    """A passage of the paper, a line of the repository, an output of a run, or words of a model."""
    file: str
    """The file of the paper or of the repository, the command that ran, or the model."""
    line: int | None = None
    """The line, from 1."""
    page: int | None = None
    """The page of a PDF, from 1."""
    text: str = ""
    """The words at this place."""

    def __str__(self) -> str:
        line = f":{self.line}" if self.line else ""
        page = f", page {self.page}" if self.page else ""
        return f"{self.file}{line}{page}"


def quoted(text: str) -> str:
    """Return a passage in one line, cut to the length that evidence quotes."""
    line = " ".join(text.split())
    return line if len(line) <= MOST_QUOTED else f"{line[: MOST_QUOTED - 1]}…"
