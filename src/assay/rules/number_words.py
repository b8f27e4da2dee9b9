"""Coarse numbers in words: "ninefold", "doubled", "two thirds", "¾", "three of five", "second best", "10⁻⁷".

What it does not cover: a small number alone ("three methods"), "dozens" and "several times", and an ordinal
that does not stand before "best", "lowest" and the like, before "place" or after "ranks" ("the second run").
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from assay.rules.cited_number import Cited
from assay.rules.plain_text import spelt_number
from assay.rules.stated_bounds import bound_before

NEAR = 60
"""Characters around a word in which another one can say what it means."""
_PARTS = {"half": 2, "halves": 2, "third": 3, "quarter": 4, "fifth": 5, "sixth": 6}
_PARTS |= {"seventh": 7, "eighth": 8, "ninth": 9, "tenth": 10, "twelfth": 12, "twentieth": 20}
_PARTS |= {"hundredth": 100, "thousandth": 1000}
_FEW = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9}
_COUNTS = {"a": 1, "an": 1, **_FEW}
_SMALL = "two|three|four|five|six|seven|eight|nine|ten|twelve|fifteen|twenty|thirty|fifty|hundred|thousand"
_TIMES: dict[str, float] = {"twice": 2, "thrice": 3}
_TIMES |= {f"doubl{end}": 2 for end in ("e", "es", "ed", "ing")}
_TIMES |= {f"tripl{end}": 3 for end in ("e", "es", "ed", "ing")}
_TIMES |= {f"quadrupl{end}": 4 for end in ("e", "es", "ed", "ing")}
_TIMES |= {f"halv{end}": 0.5 for end in ("e", "es", "ed", "ing")}
_TIMES |= {f"quintupl{end}": 5 for end in ("e", "es", "ed", "ing")}
_RATIO = re.compile(
    rf"\b(?:(?P<word>{'|'.join(_TIMES)})|(?P<count>{_SMALL})\s+times)(?![\w-])", re.IGNORECASE
)
_FOLD = re.compile(
    r"(?:(?<![\w.,])(?P<digits>(?:\d{1,3}(?:,\d{3})+|\d{1,6})(?P<decimals>\.\d{1,6})?)[\s-]?"
    rf"|\b(?P<word>{_SMALL})-?)fold\b",
    re.IGNORECASE,
)
_FRACTION = re.compile(
    rf"(?<![\w⁄/.,-])(?:(?P<count>{'|'.join(_COUNTS)})[\s-](?P<part>{'|'.join(_PARTS)})s?"
    r"|(?P<half>half)|(?:(?P<whole>\d{1,3})\s)?(?P<upper>\d{1,3})⁄(?P<lower>\d{1,3}))(?![\w⁄-])",
    re.IGNORECASE,
)
_SHARE = re.compile(
    rf"\b(?P<part>{'|'.join(_FEW)}|\d{{1,3}})\s+(?:out\s+of|of|in)\s+(?:the\s+|all\s+)?"
    rf"(?P<whole>{'|'.join(_FEW)}|\d{{1,6}})\b(?![.,]\d)",
    re.IGNORECASE,
)
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
_ORDINAL = rf"(?:{'|'.join(_ORDINALS)}|\d{{1,2}}(?:st|nd|rd|th))"
_PLACE = re.compile(
    rf"(?:(?<=\branks\s)|(?<=\branked\s)){_ORDINAL}(?!\w)|(?<!\w){_ORDINAL}(?=[\s-](?:best|worst|place"
    r"|(?:high|low|larg|small|great|fast|slow|strong|weak|long|short)est)\b)",
    re.IGNORECASE,
)
_ORDERS = re.compile(
    rf"(?<!\w)(?P<count>{'|'.join(_COUNTS)}|\d)\s(?:full\s)?orders?\sof\smagnitude\b", re.IGNORECASE
)
_POWER = re.compile(r"(?<![\w.,^/×*-])10\s?\^\s?[-−]\s?(?P<power>\d{1,2})(?!\w|[.^]\d)")
_ABOUT = re.compile(
    r"(?:\b(?:about|around|roughly|nearly|almost|approximately|some)|[~≈])\s*$", re.IGNORECASE
)
_TIMES_NEAR = re.compile(
    r"\b(?:faster|slower|quicker|longer|speed-?ups?|times?|seconds|duration)\b", re.IGNORECASE
)
REACH, REACH_OF_POWERS = 1.5, 10.0
"""How many times a bound in words ("more than twice", "below 10⁻⁷") a result may be that fulfils it."""
Ranges = tuple[tuple[float, float], ...]


def word_numbers(plain: str) -> Iterator[tuple[Cited, tuple[int, int]]]:
    """The coarse numbers of a plain text, each with its place."""
    for pattern, read in _READERS.items():
        for match in pattern.finditer(plain):
            before = plain[max(0, match.start() - NEAR) : match.start()]
            after = plain[match.end() : match.end() + NEAR]
            if ranges := read(match, before):
                yield (
                    Cited(
                        match.group(),
                        tuple((low + high) / 2 for low, high in ranges),
                        tuple((high - low) / 2 for low, high in ranges),
                        scales=("any", "percent" if pattern in (_FRACTION, _SHARE) else "any", "any"),
                        of_times=bool(_TIMES_NEAR.search(before) or _TIMES_NEAR.search(after)),
                        side=bound_before(before),
                        reach=REACH_OF_POWERS if pattern in (_ORDERS, _POWER) else REACH,
                        is_in_words=True,
                        is_inverted=pattern not in (_FRACTION, _SHARE),
                    ),
                    match.span(),
                )


def _ratio(match: re.Match[str], before: str) -> Ranges:
    """A ratio of two: "twice as high", "doubled", "three times the error"."""
    word = (match["word"] or match["count"]).lower()
    if match["count"]:
        return _around(_count(word))
    ratio = _TIMES[word]
    return tuple((0.8 * value, 1.25 * value) for value in (ratio, 1 / ratio))


def _fold(match: re.Match[str], before: str) -> Ranges:
    """A ratio: "fell ninefold", "a hundredfold at best"; "1.27-fold" is as exact as its last digit."""
    if match["word"]:
        return _around(_count(match["word"].lower()))
    ratio = float(match["digits"].replace(",", ""))
    if not match["decimals"]:
        return _around(ratio)
    half = 0.5 * 10.0 ** (1 - len(match["decimals"]))
    low, high = ratio - half, ratio + half
    return ((low, high), (1 / high, 1 / low)) if low > 0 else ()


def _count(word: str) -> float:
    return float({"hundred": 100, "thousand": 1000}.get(word) or spelt_number(word) or 0)


def _around(ratio: float) -> Ranges:
    spread = max(0.5, 0.1 * ratio)
    return (
        ((ratio - spread, ratio + spread), (1 / (ratio + spread), 1 / (ratio - spread)))
        if ratio > 1
        else ((ratio, ratio),)
    )


def _fraction(match: re.Match[str], before: str) -> Ranges:
    if match["upper"]:
        integer, upper, lower = int(match["whole"] or 0), int(match["upper"]), int(match["lower"])
    else:
        integer, upper = 0, 1 if match["half"] else _COUNTS[match["count"].lower()]
        lower = 2 if match["half"] else _PARTS[match["part"].lower()]
    if not lower:
        return ()
    share = integer + upper / lower
    spread = (0.1 if match["half"] else 0.05 if lower == 2 else 0.03) * (2 if _ABOUT.search(before) else 1)
    spread = min(spread, share / 2)
    return (share - spread, share + spread), (100 * (share - spread), 100 * (share + spread))


def _share(match: re.Match[str], before: str) -> Ranges:
    """A share of a few: "three of five"; two counts in digits are read elsewhere."""
    if match["part"].isdigit() and match["whole"].isdigit() and " in " not in match.group().lower():
        return ()
    part, whole = (int(_FEW.get(match[name].lower()) or match[name]) for name in ("part", "whole"))
    if not whole or part > whole:
        return ()
    half = 0.5 / whole
    share = part / whole
    return (share - half, share + half), (100 * (share - half), 100 * (share + half)), (part, part)


def _place(match: re.Match[str], before: str) -> Ranges:
    """The place of one result among several: "second best", "ranks 3rd"."""
    word = match.group().lower()
    place = _ORDINALS.index(word) + 1 if word in _ORDINALS else int(word[:-2])
    return ((place, place),)


def _orders(match: re.Match[str], before: str) -> Ranges:
    count = match["count"].lower()
    orders = int(count) if count.isdigit() else _COUNTS[count]
    return (10 ** (orders - 0.5), 10 ** (orders + 0.5)), (10 ** (-orders - 0.5), 10 ** (0.5 - orders))


def _power(match: re.Match[str], before: str) -> Ranges:
    """A bare power of ten tells the order of a result."""
    power = -int(match["power"])
    return ((10 ** (power - 0.5), 10 ** (power + 0.5)),)


_READERS: dict[re.Pattern[str], Callable[[re.Match[str], str], Ranges]] = {
    _SHARE: _share,
    _RATIO: _ratio,
    _FOLD: _fold,
    _FRACTION: _fraction,
    _PLACE: _place,
    _ORDERS: _orders,
    _POWER: _power,
}
WORD_PATTERNS = tuple(_READERS)
