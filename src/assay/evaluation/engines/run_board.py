"""What all workers of a run share in one place: its money, its events, and which batches were begun.

The Ray engine makes this an actor. It lives in memory: it ends with the run.
"""

from __future__ import annotations

from assay.agents.request_rate import OwnRate
from assay.evaluation.events import Finished, Started, Waiting


class RunBoard(OwnRate):
    """The shared state of one run."""

    def __init__(self) -> None:
        super().__init__()
        self._spent = 0.0
        self._events: list[Finished | Started | Waiting] = []
        self._begun_batches: set[int] = set()

    def begin_batch(self, number: int) -> bool:
        """Note that a worker begins a batch; return True if another worker began it earlier."""
        was_begun = number in self._begun_batches
        self._begun_batches.add(number)
        return was_begun

    def report(self, event: Finished | Started | Waiting) -> None:
        """Keep an event until the driver takes it."""
        self._events.append(event)

    def take_events(self) -> list[Finished | Started | Waiting]:
        """Return the events since the last call."""
        events, self._events = self._events, []
        return events

    def add(self, dollars: float) -> None:
        """Note that this much was spent."""
        self._spent += dollars

    def total(self) -> float:
        """Return what all workers have spent."""
        return self._spent
