"""Coarse numbers in words: "ninefold", "by two thirds", "¾", "an order of magnitude", "10⁻⁷".

They are read only where they compare results or follow a word for a result. What it does not cover, because
it looks like the set-up or an ordinal: shares of runs, seeds or data ("half of the runs", "a third of the
data"), "a third" before a noun, bounds ("more than half", "below 10⁻⁷"), powers of ten that count, powers of
other bases, and words such as "dozens" and "several times".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from assay.rules.plain_text import spelt_number
from assay.rules.result_words import follows_result_word

NEAR = 60
"""Characters before a word in which another one can say what it means."""
_PARTS = {"half": 2, "halves": 2, "third": 3, "quarter": 4, "fifth": 5, "sixth": 6, "eighth": 8, "tenth": 10}
_COUNTS = {"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "seven": 7, "nine": 9}
_SMALL = "two|three|four|five|six|seven|eight|nine|ten|twelve|fifteen|twenty|thirty|fifty|hundred|thousand"
_FOLD = re.compile(rf"\b(?:(?P<digits>\d{{1,6}})[\s-]?|(?P<word>{_SMALL})-?)fold\b", re.IGNORECASE)
_FRACTION = re.compile(
    rf"(?<![\w⁄/.,-])(?:(?P<count>{'|'.join(_COUNTS)})[\s-](?P<part>{'|'.join(_PARTS)})s?"
    r"|(?P<half>half)|(?:(?P<whole>\d{1,3})\s)?(?P<upper>\d{1,3})⁄(?P<lower>\d{1,3}))(?![\w⁄-])",
    re.IGNORECASE,
)
_POWER = re.compile(r"(?<![\w.,^/×*-])10\s?\^\s?[-−]\s?(?P<power>\d{1,2})(?!\w|[.^]\d)")
_ORDERS = re.compile(
    rf"(?<!\w)(?P<count>{'|'.join(_COUNTS)}|\d)\s(?:full\s)?orders?\sof\smagnitude\b", re.IGNORECASE
)
_BOUND = re.compile(
    r"(?:\b(?:more|less|fewer|greater|smaller|larger)\s+than|\b(?:over|above|below|under|within|beyond)"
    r"|\b(?:exceed\w*|at\s+(?:least|most)|up\s+to|order\s+of|between|or)|[<>≤≥≪≫])\s*(?:an?\s)?$",
    re.IGNORECASE,
)
_ABOUT = re.compile(
    r"(?:\b(?:about|around|roughly|nearly|almost|approximately|some)|[~≈])\s*$", re.IGNORECASE
)
_CHANGES = re.compile(
    r"\b(?:cuts?|cutting|reduc\w+|increas\w+|improv\w+|decreas\w+|falls?|fell|fallen|rose|rises?|grew|grows?"
    r"|drops?|dropped|lower(?:s|ed|ing)?|higher|rais(?:es|ed)|gain(?:s|ed)?|shr[aiu]nks?|declin\w+|beats?|outperform\w*"
    r"|multipl\w+|differ\w*|better|worse)\b[^.;:!?]*$",
    re.IGNORECASE,
)
_BY_BEFORE = re.compile(
    r"\bby\s+(?:(?:about|around|roughly|nearly|almost|approximately|some)\s+|[~≈]\s*)?$", re.I
)
_ENDS_AFTER = re.compile(
    r"\s*(?:[.,;:!?)]|$|(?:and|or|in|on|for|at|from|to|with|over|across|when|while|than|relative|compared|against)\b)"
)
_MORE_AFTER = re.compile(
    r"\s+(?:less|lower|higher|more|fewer|better|worse|smaller|larger|faster|slower)"
    r"(?:\s+(?:than|in|on|for|at|with|across|over)\b|\s*(?:[.,;:!?)]|$))",
    re.IGNORECASE,
)
_FOLD_AFTER = re.compile(
    r"\s+(?:higher|lower|better|worse|gain|improvement|reduction|drop|difference|advantage)\b", re.IGNORECASE
)
_OF_QUANTITY = re.compile(
    r"\s+(?:of\s+)?(?:the|its|that)\s+(?:\w+\s+)?(?:errors?|loss|variance|accuracy|scores?|gap|gain|bias|cost"
    r"|memory|perplexity|reward)\b",
    re.IGNORECASE,
)
_TIMES_NEAR = re.compile(
    r"\b(?:faster|slower|quicker|longer|speed-?ups?|times?|seconds|duration)\b", re.IGNORECASE
)
_SETTING_BEFORE = re.compile(
    r"\b(?:learning\s+rates?|lr|decay|tolerance|epsilon|threshold|regulari[sz]\w+|penalty|step\s+size|lambda|alpha"
    r"|with|of\s+the\s+order|p)\b[\s\w=:<>≤≥ελα]{0,20}$",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class WordNumber:
    """A coarse number as the text has it."""

    text: str
    ranges: tuple[tuple[float, float], ...]
    """From where to where each of its readings goes."""
    of_times: bool = False


def word_numbers(plain: str) -> Iterator[WordNumber]:
    """The coarse numbers of a plain text that state a result."""
    for pattern, ranges in ((_FOLD, _fold), (_FRACTION, _fraction), (_ORDERS, _orders), (_POWER, _power)):
        for match in pattern.finditer(plain):
            before = plain[max(0, match.start() - NEAR) : match.start()]
            after = plain[match.end() : match.end() + NEAR]
            if _BOUND.search(before):
                continue
            readings = tuple(ranges(match, before, after))
            if readings:
                of_times = bool(_TIMES_NEAR.search(before) or _TIMES_NEAR.search(after))
                yield WordNumber(match.group(), readings, of_times)


def _fold(match: re.Match[str], before: str, after: str) -> Iterable[tuple[float, float]]:
    """A ratio: "fell ninefold", "a hundredfold at best"; ten-fold cross-validation is none."""
    compares = _CHANGES.search(before) and _ENDS_AFTER.match(after)
    is_noun = re.search(r"\ban?\s$", before) and re.match(r"\s*(?:[.,;:!?)]|$|at\b|over\b)", after)
    if not (compares or is_noun or _FOLD_AFTER.match(after)):
        return ()
    digits = match["digits"]
    word = (match["word"] or "").lower()
    ratio = float(digits or {"hundred": 100, "thousand": 1000}.get(word) or spelt_number(word) or 0)
    if ratio <= 1:
        return ()
    spread = 0.5 if digits else max(0.5, 0.1 * ratio)
    return (ratio - spread, ratio + spread), (1 / (ratio + spread), 1 / (ratio - spread))


def _fraction(match: re.Match[str], before: str, after: str) -> Iterable[tuple[float, float]]:
    if match["upper"]:
        upper, lower = int(match["upper"]), int(match["lower"])
        integer = int(match["whole"] or 0)
        is_result = _ENDS_AFTER.match(after) and follows_result_word(before)
    else:
        integer, is_result = 0, None
        upper = 1 if match["half"] else _COUNTS[match["count"].lower()]
        lower = 2 if match["half"] else _PARTS[match["part"].lower()]
    changes = _BY_BEFORE.search(before) and _CHANGES.search(before) and _ENDS_AFTER.match(after)
    of_quantity = None if match["half"] else _OF_QUANTITY.match(after)
    if not lower or not (is_result or changes or of_quantity or _MORE_AFTER.match(after)):
        return ()
    share = integer + upper / lower
    spread = (0.05 if lower == 2 else 0.03) * (2 if _ABOUT.search(before) else 1)
    return (share - spread, share + spread), (100 * (share - spread), 100 * (share + spread))


def _orders(match: re.Match[str], before: str, after: str) -> Iterable[tuple[float, float]]:
    if not (_MORE_AFTER.match(after) or (_BY_BEFORE.search(before) and _CHANGES.search(before))):
        return ()
    count = match["count"].lower()
    orders = int(count) if count.isdigit() else _COUNTS[count]
    return (10 ** (orders - 0.5), 10 ** (orders + 0.5)), (10 ** (-orders - 0.5), 10 ** (0.5 - orders))


def _power(match: re.Match[str], before: str, after: str) -> Iterable[tuple[float, float]]:
    """A bare power of ten tells the order of a result; a setting is none."""
    if _SETTING_BEFORE.search(before):
        return ()
    power = -int(match["power"])
    return ((10 ** (power - 0.5), 10 ** (power + 0.5)),)
