"""What an engine gets: the attempts of a run, how to make them, and who wants to know about them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from assay.evaluation.events import Finished, Started, Waiting
from assay.evaluation.running import Plan, Settings
from assay.tasks import Task


def ignore(finished: Finished) -> None:
    """For callers who do not listen."""


@dataclass(frozen=True)
class EngineWork:
    """One run, as an engine sees it."""

    plan: Plan
    settings: Settings
    finish: Callable[[Finished], None] = ignore
    """Called for each attempt that ends."""
    begin: Callable[[Started], None] | None = None
    """Called for each attempt that begins."""
    wait: Callable[[Waiting], None] | None = None
    """Called for each attempt that waits for the service of its model."""

    @property
    def tasks(self) -> list[Task]:
        """The tasks of the attempts that are left."""
        task_ids = {attempt.task for attempt in self.plan.left}
        return [task for task in self.plan.suite.tasks if task.id in task_ids]

    def pass_on(self, event: Finished | Started | Waiting) -> None:
        """Call the function that wants this kind of event."""
        if isinstance(event, Finished):
            self.finish(event)
        elif isinstance(event, Started):
            if self.begin is not None:
                self.begin(event)
        elif self.wait is not None:
            self.wait(event)
