"""The numbers that a text cites, in digits, in words and as counts of a whole.

No word around a number decides whether the results must contain it; words only tell how it is to be read: as
a share, a bound, an amount of memory or a ratio of times. What it does not cover: number words of other
languages, and vague ones ("dozens", "a few percent").
"""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import chain, islice

from assay.rules.cited_number import LEAST_WHOLE, Cited, Scale
from assay.rules.entry_units import STATED_TIME, memory_unit_after
from assay.rules.number_words import WORD_PATTERNS, word_numbers
from assay.rules.plain_text import plain_text
from assay.rules.stated_bounds import bound_before
from assay.rules.written_values import as_number

_CITED = re.compile(
    r"(?<![\w.,^/])(?P<sign>[-−+])?"
    r"(?P<number>(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?|\.\d+)(?P<power>[eE][-+]?\d{1,3})?"
    r"\s?(?P<share>%|‰|percent\b|percentage|points?\b|pp\b|-(?:percentage[\s-])?point(?=\s(?:gain|improvement|increase|drop"
    r"|difference|lead|advantage|reduction|margin|edge|rise|decrease|gap)\b))?"
    r"(?P<times>\s?[x×](?!\w)|(?:[\s-]?fold|\s?times)(?=\s+(?:higher|lower|better|worse|gain|improvement|reduction|drop"
    r"|difference|advantage|as\s+(?:accurate|good|high|low))\b))?(?!(?![kKMGT]i?B\b)[\w^]|[.,]\d)"
)
_IN_TEXT = re.compile(r"(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?:[eE][-+]?\d+)?\s?%?")
LONGEST_TEXT = 200_000
MOST_PERCENT = 100
"""Beyond which a number without a sign for it is no percentage."""
MOST_NUMBERS = 2_000
"""Numbers of a text from which on none is read."""
LARGEST_POWER = 300
"""Powers of ten beyond which nothing is computed."""
NEAR = 60
"""Characters before and after a number in which its unit is looked for."""
_DATE = re.compile(r"\b(?:19|20)\d\d-(?:0\d|1[0-2])-[0-3]\d(?:[T ]\d{2}:\d{2}(?::\d{2})?)?\b")
_OF_TIMES_AFTER = re.compile(
    r"\s*(?:[x×]|times|-?fold)?\s*(?:the\s+(?:run\s*)?(?:time|duration)\b|as\s+(?:fast|slow|long|quick)\w*"
    r"|faster|slower|quicker|longer|speed-?ups?)",
    re.IGNORECASE,
)
_OF_TIMES_BEFORE = re.compile(r"\bspeed-?up\s*(?:factor)?\s*(?:of|is|was|:|=)?\s*$", re.IGNORECASE)
"""Ratios of times on the clock, which move from machine to machine too."""
_COUNT = r"(?:\d{1,3}(?:,\d{3}){1,3}|\d{1,12})"
_SHARE_OF = re.compile(
    rf"(?<![\w./,])(?:(?P<other>{_COUNT})\s+(?:vs\.?|versus|against|and|or)\s+)?"
    rf"(?P<part>{_COUNT})(?:(?: out)? of (?:the |all |every )?|/)(?P<whole>{_COUNT})(?![\w/%]|[.,]\d)"
)
"""One count of a whole, or two: "127 vs. 135 of 160"."""
_OF_WHOLE = re.compile(
    r"\bof (?:all )?(?:the |these )?(?P<whole>\d{1,3}(?:,\d{3}){1,2}|\d{2,9})\s+[a-z]", re.IGNORECASE
)
_SENTENCE_END = re.compile(r"[.!?;](?=\s)|\n")
"""What ends the reach of a whole: "of the 590 predictions 371 are right"."""
_NAME_END = re.compile(r"[^\W\d_][\w.]{0,30}-?$|$")
_NAME_BEGIN = re.compile(r"-?[^\W\d_][\w.-]{0,30}|")
_LEFT = re.compile(
    r"(?P<number>(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?)(?:\s?\^\s?(?P<power>[-−]?\d{1,2})(?!\d))?"
)


def cited_numbers(text: str) -> list[Cited]:
    """The numbers of a text that something must show, each once."""
    return cited_in_plain(plain_text(text[:LONGEST_TEXT]))


def cited_in_plain(plain: str) -> list[Cited]:
    """The same of a plain text: markup that is read twice could hide a number."""
    return list(dict.fromkeys(number for number, _ in placed_in_plain(plain)))


def placed_in_plain(plain: str) -> list[tuple[Cited, tuple[int, int]]]:
    """Every number of a plain text with the place of its digits, or of its word."""
    plain = _blank(_DATE, plain)
    plain = STATED_TIME.sub(
        lambda found: found.group() if found["decade"] else " " * len(found.group()), plain
    )
    numbers = list(_shares(plain))
    wholes = _wholes(plain)
    plain = _blank(_SHARE_OF, plain)
    in_words = list(word_numbers(plain))
    plain = without_places(plain, [span for _, span in in_words])
    numbers += in_words
    for match in _CITED.finditer(plain):
        if (read := _read(match)) is not None:
            end = match.end("power") if match["power"] else match.end("number")
            numbers.append((_with_share(read, match, wholes), (match.start(), end)))
    return [*numbers, *_unread(_blank(_CITED, plain))]


def has_too_many(plain: str) -> bool:
    """Whether a text has more numbers than are read."""
    numbers = chain(_LEFT.finditer(plain), *(pattern.finditer(plain) for pattern in WORD_PATTERNS))
    return next(islice(numbers, MOST_NUMBERS, None), None) is not None


def _blank(pattern: re.Pattern[str], plain: str) -> str:
    """The text with blanks for what a pattern finds."""
    return pattern.sub(lambda match: " " * len(match.group()), plain)


def without_places(plain: str, spans: Iterable[tuple[int, int]]) -> str:
    """The text with blanks at some places; of places that overlap, the first counts."""
    pieces, last = [], 0
    for start, end in sorted(spans):
        if start >= last:
            pieces += [plain[last:start], " " * (end - start)]
            last = end
    return "".join([*pieces, plain[last:]])


def _unread(plain: str) -> Iterator[tuple[Cited, tuple[int, int]]]:
    """What no other rule reads: "v1.23", "2^10", "ResNet50", "12,13,14"."""
    for match in _LEFT.finditer(plain):
        digits, power = match.group().partition("^")[0].strip().replace(",", ""), match["power"]
        number = float(digits)
        if power is not None and number < 1e3:
            number = number ** int(power.replace("−", "-")) if number else 0.0
        if not math.isfinite(number):
            continue
        half = 0.5 * 10.0 ** -len(digits.partition(".")[2]) if power is None else 0.001 * number
        name = _name(match)
        cited = Cited(
            match.group(),
            (number, number / 100),
            (half, half / 100),
            scales=("any", "share"),
            name=name,
            is_joined=bool(name) and "-" not in name,
            is_whole=digits.isdigit() and power is None,
        )
        yield cited, match.span()


def _shares(plain: str) -> Iterator[tuple[Cited, tuple[int, int]]]:
    """Shares as counts: "511 of 540" and "511/540" are 0.946, as far as whole counts tell, or 511."""
    for match in _SHARE_OF.finditer(plain):
        whole = _whole(match["whole"])
        for group in ("other", "part") if match["other"] else ("part",):
            part = _whole(match[group])
            cited = Cited(match.group(), (float(part),), (0.5,))
            if part <= whole and whole:
                values = (part / whole, 100 * part / whole, float(part))
                halves = (0.5 / whole, 50 / whole, 0.0)
                scales: tuple[Scale, ...] = ("any", "percent", "any")
                side = (
                    0 if match["other"] else bound_before(plain[max(0, match.start() - NEAR) : match.start()])
                )
                cited = Cited(match.group(), values, halves, scales=scales, has_whole=True, side=side)
            yield cited, match.span(group)


def _whole(text: str) -> int:
    return int(text.replace(",", ""))


def _wholes(plain: str) -> list[tuple[int, int | None]]:
    """Places in order, each with the whole that counts from there on; None where a sentence ends."""
    wholes = [(match.end(), _whole(match["whole"])) for match in _OF_WHOLE.finditer(plain)]
    ends = [(match.start(), None) for match in _SENTENCE_END.finditer(plain)]
    return sorted([*wholes, *ends], key=lambda place: place[0])


def _with_share(cited: Cited, match: re.Match[str], wholes: list[tuple[int, int | None]]) -> Cited:
    """A whole number that may also be a share of the whole that its sentence named before."""
    place = bisect_right(wholes, match.start(), key=lambda place_of_whole: place_of_whole[0])
    count = wholes[place - 1][1] if place else None
    if count is None or not match["number"].isdigit() or match["share"] or match["times"]:
        return cited
    part = cited.values[0]
    if part > count or cited.memory_unit is not None or match["power"]:
        return cited
    values, half = (*cited.values, part / count), (*cited.half, 0.5 / count)
    return replace(cited, values=values, half=half, scales=(*cited.scales[: len(cited.values)], "any"))


def _read(match: re.Match[str]) -> Cited | None:
    mantissa = match["number"].replace(",", "")
    exponent = int((match["power"] or "e0")[1:])
    before, after = _around(match)
    number = float(f"{mantissa}e{exponent}")
    if not math.isfinite(number) or exponent > LARGEST_POWER:
        return None
    half = 0.5 * 10.0 ** (exponent - len(mantissa.partition(".")[2]))
    is_whole = mantissa.isdigit() and not (match["share"] or match["times"] or match["power"])
    readings: dict[Scale, float] = {"any": 1.0}
    if match["share"] == "‰":
        readings = {"any": 0.001}
    elif match["share"]:
        readings = {"any" if match["share"] in ("%", "percent") else "difference": 0.01, "percent": 1.0}
    elif not (match["times"] or number > MOST_PERCENT or (is_whole and number < LEAST_WHOLE)):
        readings["share"] = 0.01
    unit, is_shared = memory_unit_after(after) or (None, False)
    return Cited(
        match.group().strip(),
        tuple(number * factor for factor in readings.values()),
        tuple(half * factor for factor in readings.values()),
        scales=tuple(readings),
        memory_unit=unit,
        shares_unit=is_shared,
        of_times=bool(_OF_TIMES_AFTER.match(after) or _OF_TIMES_BEFORE.search(before)),
        name=_name(match),
        is_whole=is_whole and unit is None,
        side=bound_before(before),
    )


def _name(match: re.Match[str]) -> str:
    """The word that a number is joined to by a hyphen: "CIFAR-10", "12-layer"."""
    start, end = match.span("number")
    before = _NAME_END.search(match.string[max(0, start - NEAR) : start])
    after = _NAME_BEGIN.match(match.string, end)
    name = f"{before.group() if before else ''}{match['number']}{after.group() if after else ''}"
    return name if any(letter.isalpha() for letter in name) else ""


def _around(match: re.Match[str]) -> tuple[str, str]:
    """What stands before and after a number."""
    before = match.string[max(0, match.start() - NEAR) : match.start()]
    return before, match.string[match.end() : match.end() + NEAR]


def numbers_in(texts: Iterable[str]) -> set[float]:
    """Every number of some texts, with shares as such too."""
    numbers = set()
    for match in (match for text in texts for match in _IN_TEXT.finditer(text[:LONGEST_TEXT])):
        number = as_number(match.group().replace(" ", ""))
        plain = as_number(match.group().rstrip(" %"))
        numbers |= {value for value in (number, plain) if value is not None}
    return numbers
