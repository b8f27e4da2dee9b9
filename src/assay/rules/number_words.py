"""Coarse numbers in words: "ninefold", "doubled", "by two thirds", "¾", "an order of magnitude", "10⁻⁷".

Where they compare results or follow a word for a result, they are results. Everywhere else ("half of the
runs", "tenfold cross-validation") a result or a setting must show them. What it does not cover: "a third"
before a noun, "half" alone, and words such as "dozens" and "several times".
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from assay.rules.cited_number import Cited, Context
from assay.rules.plain_text import spelt_number
from assay.rules.result_words import bound_before, follows_result_word

LEAST_WHOLE = 10
"""From which on a whole number is read without a word for a result."""
NEAR = 60
"""Characters before a word in which another one can say what it means."""
_PARTS = {"half": 2, "halves": 2, "third": 3, "quarter": 4, "fifth": 5, "sixth": 6}
_PARTS |= {"seventh": 7, "eighth": 8, "ninth": 9, "tenth": 10, "twelfth": 12, "twentieth": 20}
_COUNTS = {"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6}
_COUNTS |= {"seven": 7, "eight": 8, "nine": 9}
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
_VAGUE = re.compile(r"\b(?:up\s+to|within|order\s+of|between|or)\s*(?:an?\s)?$", re.IGNORECASE)
"""Words that leave open how large a coarse number is meant to be."""
_ABOUT = re.compile(
    r"(?:\b(?:about|around|roughly|nearly|almost|approximately|some)|[~≈])\s*$", re.IGNORECASE
)
CHANGES = re.compile(
    r"\b(?:cuts?|cutting|reduc\w+|increas\w+|improv\w+|decreas\w+|falls?|fell|fallen|rose|rises?|grew|grows?"
    r"|drops?|dropped|lower(?:s|ed|ing)?|higher|rais(?:es|ed)|gain(?:s|ed)?|shr[aiu]nks?|declin\w+|beats?|outperform\w*"
    r"|multipl\w+|differ\w*|better|worse)\b[^.;:!?]*$",
    re.IGNORECASE,
)
BY_BEFORE = re.compile(
    r"\bby\s+(?:(?:only|just|about|around|roughly|nearly|almost|approximately|some)\s+|[~≈]\s*)?$", re.I
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
_OF_OTHERS = re.compile(
    r"\s+(?:of\s+)?[a-z][\w-]*\s+s\s+(?:\w+\s+)?(?:errors?|loss|variance|accuracy|scores?|gap|gain|reward)\b",
    re.IGNORECASE,
)
"""The same of another method: "half of plain's loss", whose mark is gone."""
_TIMES_NEAR = re.compile(
    r"\b(?:faster|slower|quicker|longer|speed-?ups?|times?|seconds|duration)\b", re.IGNORECASE
)
_SETTING_BEFORE = re.compile(
    r"\b(?:learning\s+rates?|lr|decay|tolerance|epsilon|threshold|regulari[sz]\w+|penalty|step\s+size|lambda|alpha"
    r"|with|p)\b[\s\w=:<>≤≥ελα]{0,20}$",
    re.IGNORECASE,
)


_FEW = ("two", "three", "four", "five", "six", "seven", "eight", "nine")
_TIMES = {"twice": 2, "thrice": 3, "half": 0.5}
_TIMES |= {f"doubl{end}": 2 for end in ("e", "es", "ed", "ing")}
_TIMES |= {f"tripl{end}": 3 for end in ("e", "es", "ed", "ing")}
_TIMES |= {f"quadrupl{end}": 4 for end in ("e", "es", "ed", "ing")}
_TIMES |= {f"halv{end}": 0.5 for end in ("e", "es", "ed", "ing")}
_TIMES |= {f"quintupl{end}": 5 for end in ("e", "es", "ed", "ing")}
_VERBS = "|".join(word for word in _TIMES if word.endswith(("es", "ed", "ing")))
_RATIO = re.compile(
    rf"\b(?:(?:(?P<word>{'|'.join(_TIMES)})|(?P<count>{'|'.join(_FEW)})\s+times)\s+(?:as\s+(?P<how>\w+)"
    r"|(?:the|its|that\s+of|of\s+the|of\s+that)\b\s*(?P<what>\w*)"
    r"|(?P<more>better|worse|higher|lower|larger|smaller|more|less)\b)"
    rf"|(?P<verb>{_VERBS})\b(?!-))",
    re.IGNORECASE,
)
_QUANTITIES = re.compile(
    r"(?:accura\w+|errors?|loss\w*|rates?|scores?|variance|mean|medians?|biase?s?|values?|speed|times?|cost|memory"
    r"|perplexity|gaps?|size|precision|recall|reward|deviation|performance|throughput|latency|high|large|big|small"
    r"|low|good|bad|fast|slow|accurate|likely|often|much|strong|wide|great|long|short)$",
    re.IGNORECASE,
)
_OF = re.compile(r"\s+of\b", re.IGNORECASE)
_OBJECT = re.compile(r"\s+(?:the\s+|its\s+)?(\w+)", re.IGNORECASE)
WORD_PATTERNS = (_RATIO, _FOLD, _FRACTION, _ORDERS, _POWER)
REACH, REACH_OF_POWERS = 1.5, 10.0
"""How many times a bound in words ("more than twice", "below 10⁻⁷") a result may be that fulfils it."""
Ranges = tuple[tuple[float, float], ...]


def word_numbers(plain: str) -> Iterator[tuple[Cited, tuple[int, int]]]:
    """The coarse numbers of a plain text, each with its place."""
    ratios: set[int] = set()
    for pattern, read in zip(WORD_PATTERNS, (_ratio, _fold, _fraction, _orders, _power), strict=True):
        for match in pattern.finditer(plain):
            if match.start() in ratios:
                continue
            before = plain[max(0, match.start() - NEAR) : match.start()]
            after = plain[match.end() : match.end() + NEAR]
            ranges, is_result = read(match, before, after)
            if not ranges:
                continue
            if pattern is _RATIO:
                ratios.add(match.start())
            other: Context = "set-up" if pattern in (_FOLD, _POWER) else "open"
            yield (
                Cited(
                    match.group(),
                    tuple((low + high) / 2 for low, high in ranges),
                    tuple((high - low) / 2 for low, high in ranges),
                    scales=("any", "percent" if pattern is _FRACTION else "any"),
                    ratio=pattern is _RATIO
                    or (pattern is _FRACTION and bool(_OF_QUANTITY.match(after) or _OF_OTHERS.match(after))),
                    of_times=bool(_TIMES_NEAR.search(before) or _TIMES_NEAR.search(after)),
                    context="result" if is_result and not _VAGUE.search(before) else other,
                    side=bound_before(before),
                    reach=REACH_OF_POWERS if pattern in (_ORDERS, _POWER) else REACH,
                    is_in_words=True,
                    is_inverted=pattern is not _FRACTION,
                ),
                match.span(),
            )


def _ratio(match: re.Match[str], before: str, after: str) -> tuple[Ranges, bool]:
    """A ratio of two: "twice as high", "half the error", "doubled"."""
    follows = _OBJECT.match(after)
    what = match["how"] or match["what"] or (follows[1] if follows else "")
    word = (match["word"] or match["verb"] or match["count"]).lower()
    ratio = float(_TIMES[word] if word in _TIMES else spelt_number(word) or word)
    is_result = bool(match["more"] or _QUANTITIES.match(what) or follows_result_word(before))
    if (match["count"] or word == "half") and not is_result:
        return (), False
    if match["count"]:
        return ((ratio - 0.5, ratio + 0.5), (1 / (ratio + 0.5), 1 / (ratio - 0.5))), is_result
    return tuple((0.75 * value, 1.25 * value) for value in (ratio, 1 / ratio)), is_result


def _fold(match: re.Match[str], before: str, after: str) -> tuple[Ranges, bool]:
    """A ratio: "fell ninefold", "a hundredfold at best"; ten-fold cross-validation is no result."""
    compares = CHANGES.search(before) and _ENDS_AFTER.match(after)
    is_noun = re.search(r"\ban?\s$", before) and re.match(r"\s*(?:[.,;:!?)]|$|at\b|over\b)", after)
    digits = match["digits"]
    word = (match["word"] or "").lower()
    ratio = float(digits or {"hundred": 100, "thousand": 1000}.get(word) or spelt_number(word) or 0)
    if ratio <= 1:
        return (), False
    spread = 0.5 if digits else max(0.5, 0.1 * ratio)
    ranges = ((ratio - spread, ratio + spread), (1 / (ratio + spread), 1 / (ratio - spread)))
    is_result = bool(compares or is_noun or _FOLD_AFTER.match(after))
    return (ranges if is_result or ratio >= LEAST_WHOLE else ()), is_result


def _fraction(match: re.Match[str], before: str, after: str) -> tuple[Ranges, bool]:
    if match["upper"]:
        upper, lower = int(match["upper"]), int(match["lower"])
        integer = int(match["whole"] or 0)
        is_result = bool(_ENDS_AFTER.match(after)) and follows_result_word(before)
    else:
        integer, is_result = 0, False
        upper = 1 if match["half"] else _COUNTS[match["count"].lower()]
        lower = 2 if match["half"] else _PARTS[match["part"].lower()]
    changes = BY_BEFORE.search(before) and CHANGES.search(before) and _ENDS_AFTER.match(after)
    of_quantity = _OF_OTHERS.match(after) or (None if match["half"] else _OF_QUANTITY.match(after))
    is_result = bool(is_result or changes or of_quantity or _MORE_AFTER.match(after))
    if not lower or not (is_result or match["upper"] or upper > 1 or _OF.match(after)):
        return (), False
    share = integer + upper / lower
    spread = (0.05 if lower == 2 else 0.03) * (2 if _ABOUT.search(before) else 1)
    spread = min(spread, share / 2)
    return ((share - spread, share + spread), (100 * (share - spread), 100 * (share + spread))), is_result


def _orders(match: re.Match[str], before: str, after: str) -> tuple[Ranges, bool]:
    is_result = _MORE_AFTER.match(after) or (BY_BEFORE.search(before) and CHANGES.search(before))
    count = match["count"].lower()
    orders = int(count) if count.isdigit() else _COUNTS[count]
    ranges = ((10 ** (orders - 0.5), 10 ** (orders + 0.5)), (10 ** (-orders - 0.5), 10 ** (0.5 - orders)))
    return ranges, bool(is_result)


def _power(match: re.Match[str], before: str, after: str) -> tuple[Ranges, bool]:
    """A bare power of ten tells the order of a result; a setting is none."""
    power, is_result = -int(match["power"]), not _SETTING_BEFORE.search(before)
    reach = 0.5 if is_result else 0.001
    return ((10 ** (power - reach), 10 ** (power + reach)),), is_result
