"""Finds numbers that code can write without computing them: they prove nothing about a function."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable

from assay.grading import Verdict
from assay.masking.pipeline.gold import GoldRuns
from assay.tasks import DEFAULT

PLAIN_NUMBERS = (-1.0, 0.0, 1.0, 100.0)
"""Numbers that anyone tries first: no error, every case right, 100 percent."""
_SAME = 1e-9


def guessable_numbers(gold: GoldRuns) -> frozenset[str]:
    """Return the metrics that have the same number in every run and variation, if that number is known.

    The instruction shows the numbers of the plain run if there is a variation; else only 0, 1 and the like
    are known.
    """
    return frozenset(metric.name for metric in gold.metrics if _is_guessable(gold, metric.name))


def _is_guessable(gold: GoldRuns, name: str) -> bool:
    first = gold.numbers[DEFAULT][name][0]
    numbers = [number for columns in (*gold.numbers.values(), *gold.drawn) for number in columns[name]]
    if not all(math.isclose(number, first, rel_tol=_SAME, abs_tol=_SAME) for number in numbers):
        return False
    return bool(gold.variations) or any(math.isclose(first, plain) for plain in PLAIN_NUMBERS)


def is_guessable(verdict: Verdict, guessable: Collection[str]) -> bool:
    """True if the verdict is about a number that can be guessed."""
    kind, _, run_and_metric = verdict.item.partition(".")
    return kind == "result" and run_and_metric.partition(".")[2] in guessable


def strongest_rejection(verdicts: Iterable[Verdict], guessable: Collection[str]) -> Verdict | None:
    """Return the first verdict that is not met; one about a guessable number only if there is no other."""
    rejections = [verdict for verdict in verdicts if verdict.status != "met"]
    return min(rejections, key=lambda verdict: is_guessable(verdict, guessable), default=None)
