"""What an attempt may use up."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
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

    def less(self, spent: Budget) -> Budget:
        """What is left after something was used; never nothing at all, so that the end is a limit's."""
        return Budget(
            seconds=None if self.seconds is None else max(self.seconds - (spent.seconds or 0), 0.01),
            tokens=None if self.tokens is None else max(self.tokens - (spent.tokens or 0), 1),
            turns=None if self.turns is None else max(self.turns - (spent.turns or 0), 1),
            cost=None if self.cost is None else max(self.cost - (spent.cost or 0), 1e-9),
        )


_spent: ContextVar[Budget | None] = ContextVar("assay_spent", default=None)


@contextmanager
def already_spent(spent: Budget) -> Iterator[None]:
    """Let the attempt that follows have used this much before."""
    token = _spent.set(spent)
    try:
        yield
    finally:
        _spent.reset(token)


def spent_before() -> Budget:
    """What earlier parts of this attempt have used."""
    return _spent.get() or Budget()
