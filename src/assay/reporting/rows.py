"""The rows and columns of the report's grid: tasks, and agents with their models."""

from __future__ import annotations

from dataclasses import dataclass

from assay.scoring import AgentCard


@dataclass(frozen=True)
class TaskRow:
    """One task of the grid."""

    anchor: str
    suite: str
    task: str
    title: str
    kind: str
    n: int | None
    certified: bool
    labels: dict[str, str]
    instruction: str
    digest: str


@dataclass(frozen=True)
class Column:
    """One agent with one model."""

    anchor: str
    card: AgentCard

    @property
    def label(self) -> str:
        """Agent and model in one line."""
        return self.card.agent if self.card.model == "none" else f"{self.card.agent} · {self.card.model}"
