"""What an attempt may use up."""

from __future__ import annotations

from dataclasses import dataclass

from assay.tasks import Task


@dataclass(frozen=True)
class Budget:
    """Limits of one attempt; None leaves the task's own, or none."""

    seconds: float | None = None
    tokens: int | None = None
    turns: int | None = None
    cost: float | None = None
    """Dollars, at known prices or at those that the user sets."""

    def of(self, task: Task) -> Budget:
        """The limits that hold for a task."""
        return Budget(
            seconds=self.seconds or task.config.agent.timeout_sec,
            tokens=self.tokens or task.assay.tokens,
            turns=self.turns or task.assay.turns,
            cost=self.cost,
        )
