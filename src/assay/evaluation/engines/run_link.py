"""How a worker of a cluster is connected with its run."""

from __future__ import annotations

from typing import Protocol

from assay.agents.request_rate import RateLimits
from assay.evaluation.events import Finished, Started, Waiting


class RunLink(Protocol):
    """What a worker tells its run and learns from it; also the run's accounts of money and of requests."""

    @property
    def node(self) -> str:
        """The machine on which this worker runs."""
        ...

    def begin_batch(self, number: int) -> bool:
        """Note that this worker begins a batch; return True if another worker began it earlier."""
        ...

    def report(self, event: Finished | Started | Waiting) -> None:
        """Pass an event on to whoever started the run."""
        ...

    def add(self, dollars: float) -> None:
        """Note that this much was spent."""
        ...

    def total(self) -> float:
        """Return what all workers of the run have spent."""
        ...

    def reserve(self, limits: RateLimits) -> float:
        """Note one request and return 0 if there is room for it, else return how long to wait."""
        ...

    def add_tokens(self, tokens: int) -> None:
        """Note the tokens of an answer."""
        ...
