"""Numbers of a text that no run has to measure.

They are the level of chance, intervals around a result, shares of stated counts, and test statistics.

An interval may follow from results only where it contains one, and only where it stands as an interval: an
end that the text cites once more is a result like any other. The level of chance is one part of a number of
classes: it follows from one of the question, the design or the code, and may follow from another. A share is
let through only where few shares can be made of the stated counts: of many counts, almost any can be made.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from itertools import islice

from assay.rules.cited import LONGEST_TEXT
from assay.rules.cited_number import Cited
from assay.rules.named_statistics import reported_statistics
from assay.rules.number_words import LEAST_WHOLE
from assay.rules.plain_text import plain_text, spelt_number
from assay.rules.remade import Numbers
from assay.rules.sorted_numbers import SLACK

MOST_CLASSES = 1_000
USUAL_CLASSES = range(2, 11)
"""Numbers of classes whose level of chance needs no other word: "chance (33%)" for three classes."""
MOST_LOOKED_AT = 100
"""Intervals and levels of chance of one text that are looked at; every repetition below has a limit, too."""
FEW = 0.2
"""Share of all whole percentages from which on too many can be made of the stated counts."""
MOST_COUNTS = 100
NEAR = 60
"""Characters before a match in which a word can change what it means."""
_NUMBER = r"(?P<{name}>[-−+]?(?:\d{{1,12}}(?:\.\d{{1,12}})?|\.\d{{1,12}}))\s?(?:%|percent\b|points?\b|pp\b)?"
_BEFORE_INTERVAL = (
    r"\b(?:(?:CIs?|c\.i\.|intervals?|rang(?:es?|ed|ing)|spans?|spanned|varie[sd])\b[^.\d]{0,20}?|"
    r"between\s{1,3})"
)
_INTERVAL = re.compile(
    rf"{_BEFORE_INTERVAL}[\[(]?\s{{0,3}}{_NUMBER.format(name='low')}\s{{0,3}}(?:to|and|,|;|-|–|—)\s{{0,3}}"
    rf"{_NUMBER.format(name='high')}(?!\w|\.\d)",
    re.IGNORECASE,
)
_COMPARES = re.compile(
    r"\b(?:differen\w+|gaps?|distance|chang\w+|compar\w+|contrast|improve\w*|increase|decrease|drop)\s+$",
    re.IGNORECASE,
)
"""Words before "between" after which the two numbers are results: "the difference between 0.5 and 0.8"."""
_CHANCE = re.compile(
    r"\bchance(?:\s{1,3}(?:levels?|rate|accuracy|performance|baseline))?[\s,:(=~≈]{0,5}"
    rf"(?:(?:is|are|was|of|about|around|roughly|approximately|would be|being)[\s,:(=~≈]{{0,5}}){{0,3}}"
    rf"{_NUMBER.format(name='share')}(?!\w|\.\d)",
    re.IGNORECASE,
)
_BEFORE_CHANCE = re.compile(
    rf"(?<![\w.,-]){_NUMBER.format(name='share')}[\s(]{{1,3}}chance\b(?!\s+(?:to|of|that)\b)", re.IGNORECASE
)
"""The same with the number first: "above 50% chance"."""
_BESIDE_CHANCE = re.compile(
    r"\b(?:above|over|below|under|than|beats?|exceeds?)\s+(?:the\s+)?$", re.IGNORECASE
)
_LEVEL_OF = re.compile(r"\b(?:levels?|rate|baseline)\s{1,3}(?:of|is|was)\b", re.IGNORECASE)
"""Words after which the number is the level of chance, also in "above the chance level of 33%"."""
_CLASSES = re.compile(
    r"\b(?P<count>\d{1,4}|two|three|four|five|six|seven|eight|nine)\s{1,3}(?:[a-z]{1,20}\s{1,3})?"
    r"(?:classes|labels|options|choices|categories|arms|answers)\b",
    re.IGNORECASE,
)

_SHARE = re.compile(
    r"(?<![\w.,-])(?P<share>\d{1,3}(?:\.\d{1,3})?)\s?(?:%|percent)\s+of\s+(?:the\s+|all\s+(?:the\s+)?)?[a-z]",
    re.IGNORECASE,
)


def without_derivable(text: str, numbers: Numbers, named: Collection[float]) -> tuple[str, str]:
    """The plain text without numbers that follow from others, and the same without those that may.

    `named` are counts of the question, the design and the code. Only the counts among them show a level of
    chance; another one, an interval around a result and a test statistic are open.
    """
    plain = plain_text(text[:LONGEST_TEXT])
    counts = {count for count in named if 2 <= count <= MOST_CLASSES and count == int(count)}
    usual = {float(spelt_number(match["count"]) or match["count"]) for match in _CLASSES.finditer(plain)}
    usual |= {float(count) for count in USUAL_CLASSES}
    shown, may_follow = list(_stated_shares(plain, named)), []
    levels = [match for match in islice(_CHANCE.finditer(plain), MOST_LOOKED_AT) if not _is_result(match)]
    levels += islice(_BEFORE_CHANCE.finditer(plain), MOST_LOOKED_AT)
    for match in levels:
        if _is_chance(match, counts):
            shown.append(match.span("share"))
        elif _is_chance(match, usual - {0.0}):
            may_follow.append(match.span("share"))
    for match in islice(_INTERVAL.finditer(plain), MOST_LOOKED_AT):
        if _surrounds_result(match, numbers):
            may_follow += [match.span("low"), match.span("high")]
    may_follow += reported_statistics(plain, numbers.words())
    return _without(plain, shown), _without(plain, [*shown, *may_follow])


def _without(plain: str, places: list[tuple[int, int]]) -> str:
    """The text with a word for each place; of places that overlap, the first counts."""
    apart: list[tuple[int, int]] = []
    for start, end in sorted(places):
        if not apart or start >= apart[-1][1]:
            apart.append((start, end))
    for start, end in reversed(apart):
        plain = f"{plain[:start]} it {plain[end:].lstrip(' %')}"
    return plain


def _stated_shares(plain: str, named: Collection[float]) -> Iterator[tuple[int, int]]:
    """Where the text has a rounded share of two counts: "97% of candidates" for 500 and 13 others."""
    counts = sorted({int(count) for count in named if 1 < count < 1e9 and count == int(count)})[:MOST_COUNTS]
    wholes = [(part, whole) for part in counts for whole in (*counts, *(part + other for other in counts))]
    shares = {part / whole for part, whole in wholes if part < whole and whole >= LEAST_WHOLE}
    if len({round(100 * share) for share in shares}) > FEW * 100:
        return
    for match in islice(_SHARE.finditer(plain), MOST_LOOKED_AT):
        [cited] = _readings(match["share"])
        if any(abs(share - cited.values[1]) <= cited.half[1] * SLACK for share in shares):
            yield match.span("share")


def _is_result(match: re.Match[str]) -> bool:
    """Whether the number after "chance" is what lies above or below it."""
    return bool(_BESIDE_CHANCE.search(_before(match))) and not _LEVEL_OF.search(match.group())


def _is_chance(match: re.Match[str], counts: Collection[float]) -> bool:
    [share] = _readings(match["share"])
    return any(
        abs(1 / count - value) <= half
        for value, half in zip(share.values, share.half, strict=True)
        for count in counts
    )


def _before(match: re.Match[str]) -> str:
    return match.string[max(0, match.start() - NEAR) : match.start()]


def _surrounds_result(match: re.Match[str], numbers: Numbers) -> bool:
    """Whether an interval contains a result, and is not one between two of them."""
    if _COMPARES.search(_before(match)):
        return False
    low, high = _readings(match["low"], match["high"])
    if numbers.has(low) and numbers.has(high):
        return False
    middles = ((first + second) / 2 for first, second in zip(low.values, high.values, strict=True))
    halves = ((second - first) / 2 for first, second in zip(low.values, high.values, strict=True))
    return low.values[0] < high.values[0] and numbers.has(Cited(match.group(), tuple(middles), tuple(halves)))


def _readings(*texts: str) -> Iterator[Cited]:
    """Numbers as they stand, and as percentages."""
    for text in texts:
        number = float(text.replace("−", "-"))
        half = 0.5 * 10.0 ** -len(text.partition(".")[2])
        yield Cited(text, (number, number / 100), (half, half / 100))
