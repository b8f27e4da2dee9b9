"""A number as a text cites it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

Scale = Literal["any", "error", "difference", "percent", "share"]
"""With what a reading is compared. `any`: with all results and what follows from them. `error`: also with
the errors that accuracies leave, their ratios and changes. The others leave out ratios and changes; `percent`
has only results in percent, `share` only those that are shares."""
LEAST_WHOLE = 10
"""Whole numbers below it count and name things in most texts."""
NEAR_BOUND = 1.08
"""How many times a stated bound a result may be that fulfils it."""


ANY_SCALE: tuple[Scale, ...] = ("any", "any", "any")
ERROR_SCALE: tuple[Scale, ...] = ("error", "error", "error")
"""What compares a number with most."""


@dataclass(frozen=True)
class Cited:
    """A number as a text has it."""

    text: str
    values: tuple[float, ...]
    """What it may stand for: 93.4% is 0.934, and 93.4 where the results count in percent."""
    half: tuple[float, ...]
    """Half a unit of its last digit, for each."""
    scales: tuple[Scale, ...] = ANY_SCALE
    """With which results each value is compared: a loss of 0.548 is neither 0.55% nor 55."""
    memory_unit: str | None = None
    """The unit of an amount of memory, as `memory_unit_after` gives it; None for any other number."""
    shares_unit: bool = False
    """Whether that unit stands behind a list that the number begins, so that it may belong to the others."""
    of_times: bool = False
    """Whether it compares two times, as "3 times as fast" does."""
    name: str = ""
    """The word that the number is a part of: "resnet50"."""
    is_whole: bool = False
    """Whether it is a whole number without a unit, so that it may count or name something."""
    side: int = 0
    """1 for "more than", -1 for "less than", 0 where the number is no bound."""
    reach: float = NEAR_BOUND
    is_in_words: bool = False
    is_inverted: bool = False
    """Whether the second value is one divided by the first, so that its bound goes the other way."""

    @property
    def is_precise(self) -> bool:
        """Whether it has two digits that count: almost any results have a number near 0.9 or 5%."""
        digits = re.sub(r"[eE^].*", "", self.text)
        return len(re.sub(r"\D", "", digits).lstrip("0")) > 1

    @property
    def may_name(self) -> bool:
        """Whether it may count or name what no setting of a program shows: "3 methods", "in 2019"."""
        value = self.values[0]
        return self.is_whole and (value < LEAST_WHOLE or 1900 <= value < 2100)

    @property
    def ranges(self) -> Iterator[tuple[float, float, Scale]]:
        """The middle and half the width of what each value stands for; a bound: for what fulfils it."""
        for place, (value, half, scale) in enumerate(zip(self.values, self.half, self.scales, strict=False)):
            side = -self.side if place and self.is_inverted else self.side
            end = value * self.reach**side
            yield ((value + end) / 2, abs(end - value) / 2, scale) if side else (value, half, scale)
