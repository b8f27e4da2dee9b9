"""Why attempts did not pass, counted: the first unmet item, or what stood in the way of a grade."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from assay.scoring import Attempt

MOST_REASONS = 6


def failure_lines(attempts: Iterable[Attempt]) -> list[str]:
    """A line for each reason, the most common first; nothing where every attempt passed."""
    measured = [attempt for attempt in attempts if attempt.role == "agent" and attempt.passed is not True]
    if not measured:
        return []
    counted = Counter(map(_reason, measured)).most_common()
    lines = [f"why {len(measured)} attempts did not pass (the first unmet item of each):"]
    lines += [f"  {count:>4}  {reason}" for reason, count in counted[:MOST_REASONS]]
    if len(counted) > MOST_REASONS:
        remaining = sum(count for _, count in counted[MOST_REASONS:])
        lines.append(f"  {remaining:>4}  other reasons")
    return lines


def _reason(attempt: Attempt) -> str:
    if attempt.passed is None:
        owner = attempt.owner or "nobody"
        return f"unknown, because of the {owner}" + (f": {_first(attempt.error)}" if attempt.error else "")
    ended = f" (ended by its limit of {attempt.limit})" if attempt.limit else ""
    return f"{attempt.caught_by or 'no item is named'}{ended}"


def _first(error: str) -> str:
    line = next(iter(error.strip().splitlines()), "")
    return line if len(line) <= 100 else line[:99] + "…"
