"""What a run has spent on models, and the cap that ends it."""

from __future__ import annotations

from assay.errors import AssayError
from assay.run_context import run_context


class BudgetSpent(AssayError):
    """The run's money is spent; the attempt was not made and can be made later."""


class Purse:
    """The spending of one run in this process, in dollars, where prices are known."""

    def __init__(self, cap: float | None = None) -> None:
        self.spent = 0.0
        self.cap = cap

    def left(self) -> float | None:
        """What may still be spent; None without a cap."""
        return None if self.cap is None else max(0.0, self.cap - self.spent)

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
