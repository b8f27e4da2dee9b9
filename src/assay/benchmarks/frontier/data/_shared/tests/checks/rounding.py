"""Which answers an interval allows if its bounds may have been rounded when they were written.

An interval with two decimals stands for all intervals that round to it. Where a bound is so near to a border that some
of them give another answer, either answer is right.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from itertools import product

COARSEST = 0.1
"""No rounding excuses more than this share of the margin."""


def rounding_of(value: float, margin: float) -> float:
    """Half a unit of the last digit of a number; zeros at its end may have been left out."""
    exponent = Decimal(repr(value)).normalize().as_tuple().exponent
    return min(0.5 * 10.0 ** min(int(exponent), 0), COARSEST * margin)


def contains(low: float, estimate: float, high: float, margin: float) -> bool:
    """Whether the interval contains the estimate, up to the rounding of its bounds."""
    return low - rounding_of(low, margin) <= estimate <= high + rounding_of(high, margin)


def possible_answers(low: float, high: float, margin: float, answer_of: Callable[[float, float], str]) -> set[str]:
    """The answers of all intervals that may stand behind the written bounds."""
    halves = [rounding_of(value, margin) for value in (low, high)]
    bounds = [(value - half, value, value + half) for value, half in zip((low, high), halves, strict=True)]
    return {answer_of(*pair) for pair in product(*bounds)} | {answer_of(round(low, 3), round(high, 3))}
