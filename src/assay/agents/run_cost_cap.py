"""What a run has spent on models, and the cap that ends it."""

from __future__ import annotations

import statistics
from typing import Protocol

from assay.errors import AssayError
from assay.run_context import run_context

UNUSUAL = 4.0
"""How many times the usual cost of an attempt is its own doing."""


class BudgetSpent(AssayError):
    """The run's money is spent; the attempt was not made and can be made later."""


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
        """Note that this much was spent."""
        if dollars:
            self._account.add(dollars)

    def left(self) -> float | None:
        """What may still be spent; None without a cap."""
        return None if self.cap is None else max(0.0, self.cap - self.spent)

    def count_attempt(self, dollars: float) -> None:
        """Note what an attempt cost that was made by this process."""
        self._attempts.append(dollars)

    def is_reached_by(self, dollars: float) -> bool:
        """Whether an attempt that met the cap spent so much that the cap was its own limit.

        Else an agent that spends all the money of the run would get another attempt.
        """
        if self.cap is None:
            return False
        usual = statistics.fmean(self._attempts) if self._attempts else self.cap
        return dollars >= self.cap / 2 or dollars >= UNUSUAL * usual

    def check(self) -> None:
        """Refuse to begin an attempt once nothing is left."""
        if self.left() == 0.0:
            raise BudgetSpent(
                f"the run's cap of ${self.cap:.2f} is spent",
                hint="raise --max-cost and run the command again",
            )


def purse() -> Purse:
    """The money of the run that is going on."""
    return run_context().part(Purse)
