"""Times on the clock that a conclusion states: whether a re-made time is of the same size.

A time differs from machine to machine and with what else the machine does, so only its size is compared.
What it does not cover: whether a time stands beside the right name; a reader finds that for comparisons.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from assay.rules.cited import LONGEST_TEXT
from assay.rules.entry_units import SECONDS, STATED_TIME, TIME_UNITS, seconds_at
from assay.rules.plain_text import plain_text
from assay.rules.remade import leaves
from assay.rules.remade_units import SAME_SIZE
from assay.rules.ruling import Status

NO_TIME_SHOWN = "and no re-made time is of this size"
"""How the evidence ends where nothing shows a stated time."""
SHORTEST = 0.01
"""Seconds below which times are not told apart."""


class TimeDoubt(NamedTuple):
    """Why stated times are not shown by the results."""

    status: Status
    """`unmet` where re-made times contradict a stated one, `unknown` where nothing shows it."""
    evidence: str


def doubt_times(
    text: str, results: object, allowed: Iterable[float], run_seconds: float | None = None
) -> TimeDoubt | None:
    """What speaks against the times that a text states, or None.

    `allowed` are numbers of the question and of the submission's own settings: a limit of 60 s is no result.
    `run_seconds` is how long the re-made run itself took, which a text may state too.
    """
    stated = _stated_times(text, frozenset(allowed))
    if not stated:
        return None
    remade = _remade_times(results)
    total_times = [sum(remade)] if remade else []
    total_times += [run_seconds] if run_seconds is not None else []
    doubtful = {
        words: seconds
        for words, seconds in stated.items()
        if not any(_is_same_size(seconds, measured) for measured in (*remade, *total_times))
    }
    if not doubtful:
        return None
    examples = ", ".join(list(doubtful)[:5])
    low, high = min(remade, default=0.0) / SAME_SIZE, max(remade, default=0.0) * SAME_SIZE
    out_of_range = [words for words, seconds in doubtful.items() if not low <= seconds <= high]
    if remade and out_of_range:
        times = f"the re-made times are from {min(remade):.3g} to {max(remade):.3g} s"
        return TimeDoubt("unmet", f"states {', '.join(out_of_range[:5])}, and {times}")
    return TimeDoubt("unknown", f"states {examples}, {NO_TIME_SHOWN}")


def _stated_times(text: str, allowed: frozenset[float]) -> dict[str, float]:
    """The times of a text in seconds, each as it is written."""
    times: dict[str, float] = {}
    for match in STATED_TIME.finditer(plain_text(text[:LONGEST_TEXT])):
        for number in filter(None, (match["first"], match["second"])):
            value = float(number.replace(",", ""))
            if value not in allowed and match["decade"] is None:
                times[f"{number} {match['unit']}"] = value * SECONDS[TIME_UNITS[match["unit"]]]
    return times


def _remade_times(results: object) -> list[float]:
    """The entries of the results that are times by their names, in seconds."""
    times = [seconds_at(path, number) for path, number in leaves(results).items()]
    return [seconds for seconds in times if seconds is not None]


def _is_same_size(first: float, second: float) -> bool:
    first, second = max(first, SHORTEST), max(second, SHORTEST)
    return max(first, second) <= SAME_SIZE * min(first, second)
