"""What a run reports of its attempts, apart from Inspect, so that whoever only listens need not import it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Finished:
    """One attempt that has just ended."""

    agent: str
    task: str
    passed: bool | None
    error: str | None
    seconds: float
    tokens: int = 0
    cost: float | None = None
    """Dollars; None when the model has no known price."""
    owner: str | None = None
    """Whose doing it is that the attempt did not pass; None where it passed."""
    node: str = ""
    """The machine of the cluster; empty for this machine."""

    @property
    def outcome(self) -> str:
        """How it ended, in a few words."""
        if self.error is None:
            return {True: "passed", False: "failed", None: "unknown"}[self.passed]
        if self.error.startswith("CancelledError"):
            return "stopped"
        return f"not made: {self.error.splitlines()[0][:80]}"


@dataclass(frozen=True)
class Started:
    """One attempt that has just begun."""

    agent: str
    task: str
    node: str = ""
    """The machine of the cluster; empty for this machine."""


@dataclass(frozen=True)
class Waiting:
    """One attempt that waits for the service of its model."""

    agent: str
    task: str
    model: str
    retry: int
    """How often the request has failed."""
    seconds: float
    """How long it waits before it asks again."""
    reason: str

    @property
    def line(self) -> str:
        """The event as it is printed."""
        who = f"{self.agent} on {self.task}" if self.task else "the run"
        return (
            f"waiting: {who}: {self.model} did not answer: {self.reason}; "
            f"retry {self.retry} in {self.seconds:.0f} s"
        )
