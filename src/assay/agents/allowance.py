"""What an attempt may still use; the agent sees it on every turn."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from inspect_ai.util import Limit

WORDS = {
    "turns": "{:,.0f} turns",
    "tokens": "{:,.0f} tokens",
    "cost": "${:,.4f}",
    "seconds": "{:,.0f} seconds",
}

_limits: ContextVar[Mapping[str, Limit] | None] = ContextVar("assay_allowance", default=None)


@contextmanager
def limits_context(limits: Mapping[str, Limit]) -> Iterator[None]:
    """Let `what_is_left` speak of these limits, by `turns`, `tokens`, `cost` and `seconds`."""
    token = _limits.set(limits)
    try:
        yield
    finally:
        _limits.reset(token)


def what_is_left() -> str:
    """One line for the agent; empty outside an attempt."""
    limits = _limits.get() or {}
    left = {name: limits[name].remaining for name in WORDS if name in limits}
    amounts = [WORDS[name].format(max(0.0, amount)) for name, amount in left.items() if amount is not None]
    return f"Left of your budget: {', '.join(amounts)}." if amounts else ""


def cost_limit_of_attempt() -> Limit | None:
    """The limit on the attempt's cost; None outside an attempt, and without such a limit."""
    return (_limits.get() or {}).get("cost")


def turns_left() -> float | None:
    """How many turns the attempt may still take; None without a limit."""
    limits = _limits.get() or {}
    return limits["turns"].remaining if "turns" in limits else None
