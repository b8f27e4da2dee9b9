"""The ends of intervals that a text states around a result: "0.91 (95% CI 0.87 to 0.95)".

Such ends belong to the analysis of a result, which the run need not have written. An interval counts only
where it stands as one and where a result lies in its middle.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from assay.rules.cited_number import Cited
from assay.rules.remade import Numbers

MOST_LOOKED_AT = 100
"""Intervals of one text that are looked at; every repetition below has a limit, too."""
_NUMBER = r"(?P<{name}>[-−+]?(?:\d{{1,12}}(?:\.\d{{1,12}})?|\.\d{{1,12}}))\s?(?:%|percent\b|points?\b|pp\b)?"
_INTERVAL = re.compile(
    r"\b(?:(?:CIs?|c\.i\.|intervals?|rang(?:es?|ed|ing)|spans?|spanned|varie[sd])\b[^.\d]{0,20}?|between\s{1,3})"
    rf"[\[(]?\s{{0,3}}{_NUMBER.format(name='low')}\s{{0,3}}(?:to|and|,|;|-|–|—)\s{{0,3}}"
    rf"{_NUMBER.format(name='high')}(?!\w|\.\d)",
    re.IGNORECASE,
)


def interval_ends(plain: str, numbers: Numbers) -> Iterator[tuple[int, int]]:
    """The places of both ends of all intervals of a plain text that surround a result."""
    for match in islice(_INTERVAL.finditer(plain), MOST_LOOKED_AT):
        low, high = _readings(match["low"], match["high"])
        if _surrounds_result(low, high, numbers):
            yield match.span("low")
            yield match.span("high")


def _surrounds_result(low: Cited, high: Cited, numbers: Numbers) -> bool:
    middles = ((first + second) / 2 for first, second in zip(low.values, high.values, strict=True))
    halves = ((second - first) / 2 for first, second in zip(low.values, high.values, strict=True))
    return low.values[0] < high.values[0] and numbers.has(Cited("", tuple(middles), tuple(halves)))


def _readings(*texts: str) -> Iterator[Cited]:
    """Numbers as they stand, and as percentages."""
    for text in texts:
        number = float(text.replace("−", "-"))
        half = 0.5 * 10.0 ** -len(text.partition(".")[2])
        yield Cited(text, (number, number / 100), (half, half / 100))
