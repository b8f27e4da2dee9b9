"""What a run has spent on models, and the cap that ends it."""

from __future__ import annotations

import statistics
from typing import Protocol

from inspect_ai.util import LimitExceededError

from assay.agents.allowance import cost_limit_of_attempt
from assay.errors import AssayError
from assay.run_context import run_context


class BudgetSpent(AssayError):
    """The run's money is spent; the attempt was not made and can be made later."""


class RunCapReached(LimitExceededError):
    """The run's money is spent while an attempt goes on."""


class SpendingAccount(Protocol):
    """Where the dollars of a run are added up; all workers of a run use the same account."""

    def add(self, dollars: float) -> None:
        """Note that this much was spent."""
        ...

    def total(self) -> float:
        """Return what all workers of the run have spent."""
        ...


class OwnAccount:
    """The account of a run that has one process."""

    def __init__(self) -> None:
        self._total = 0.0

    def add(self, dollars: float) -> None:
        """Note that this much was spent."""
        self._total += dollars

    def total(self) -> float:
        """Return what this process has spent."""
        return self._total


class Purse:
    """The spending of one run, in dollars, where prices are known."""

    def __init__(self, cap: float | None = None, account: SpendingAccount | None = None) -> None:
        self.cap = cap
        self._account = account or OwnAccount()
        self._attempts: list[float] = []

    @property
    def spent(self) -> float:
        """What the run has spent so far."""
        return self._account.total()

    def add(self, dollars: float) -> None:
        """Note that this much was spent; a service that states less than nothing gives nothing back."""
        if dollars > 0:
            self._account.add(dollars)

    def left(self) -> float | None:
        """What may still be spent; None without a cap."""
        return None if self.cap is None else max(0.0, self.cap - self.spent)

    def count_attempt(self, dollars: float) -> None:
        """Note what an attempt cost that was made by this process."""
        self._attempts.append(dollars)

    def check(self) -> None:
        """Refuse to begin an attempt once less is left than an attempt usually costs.

        An attempt that has begun is graded even if the money ends: else an agent that is about to fail could
        spend the rest and get another attempt.
        """
        left, usual = self.left(), statistics.fmean(self._attempts) if self._attempts else 0.0
        if left is not None and (left == 0.0 or left < usual):
            rest = f": ${left:.2f} are left, and an attempt cost ${usual:.2f} so far" if left else ""
            raise BudgetSpent(
                f"the run's cap of ${self.cap:.2f} is spent{rest}",
                hint="raise --max-cost and run the command again",
            )

    def check_request(self) -> None:
        """End the attempt that is about to send a request once nothing is left."""
        limit = cost_limit_of_attempt()
        if limit is not None and self.cap is not None and self.left() == 0.0:
            message = f"the run's cap of ${self.cap:.2f} is spent"
            raise RunCapReached("cost", value=self.spent, limit=self.cap, message=message, source=limit)


def purse() -> Purse:
    """The money of the run that is going on."""
    return run_context().part(Purse)
