"""What written numbers allow if they may have been rounded: the answers to an interval, and two files that agree.

An interval with two decimals stands for all intervals that round to it. Where a bound is so near to a border that some
of them give another answer, either answer is right.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from decimal import Decimal
from itertools import product
from pathlib import Path
from statistics import mean

Numbers = tuple[float, float, float]
"""Estimate, low and high."""
SIZE_LIMIT = 4 * 2**20
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


def disagreement(path: Path, lines: Mapping[str, Numbers | None], margin: float) -> str | None:
    """The first number of a results.json that answers.csv gives otherwise, None if both have the same numbers.

    `lines` has the numbers of each study in answers.csv, or None.
    """
    stated = _stated(path)
    numbers = {name: found for name, found in lines.items() if found is not None}
    expected = {f"estimates.{name}": found[0] for name, found in numbers.items()}
    if numbers:
        expected["mean_estimate"] = mean(found[0] for found in numbers.values())
        expected["mean_width"] = mean(found[2] - found[1] for found in numbers.values())
    for name, value in expected.items():
        found = stated.get(name)
        if not isinstance(found, float) or not abs(found - value) <= COARSEST * margin:
            return f"{name} of results.json is {ascii(found)[:30]}, answers.csv says {value:.6g}"
    return None


def _stated(path: Path) -> dict[str, object]:
    """The numbers of a results.json; none if the file does not have its form."""
    try:
        table = json.loads(path.read_bytes()[:SIZE_LIMIT], parse_int=float)
    except (OSError, ValueError):
        table = None
    if not isinstance(table, dict):
        return {}
    estimates = table.get("estimates")
    stated = {f"estimates.{name}": value for name, value in estimates.items()} if isinstance(estimates, dict) else {}
    return stated | {name: table.get(name) for name in ("mean_estimate", "mean_width")}
