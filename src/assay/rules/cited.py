"""The numbers that a text cites, each with what the words around it say that it is.

Words alone never show a number: they tell which numbers the results must contain, and which ones may also be
settings. A number that no other rule can read may be a setting too. What it does not cover: whether a number
stands beside the right name, whole numbers below 10 that follow no word for a result, and number words of
other languages.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import chain, islice

from assay.rules.cited_number import Cited, Context, Scale
from assay.rules.entry_units import STATED_TIME, memory_unit_after
from assay.rules.number_words import BY_BEFORE, CHANGES, LEAST_WHOLE, WORD_PATTERNS, word_numbers
from assay.rules.plain_text import plain_text
from assay.rules.result_words import MEASURE, bound_before, follows_result_word
from assay.rules.written_values import as_number

_CITED = re.compile(
    r"(?<![\w.,^/])(?P<sign>[-−+])?"
    r"(?P<number>(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?|\.\d+)(?P<power>[eE][-+]?\d{1,3})?"
    r"\s?(?P<share>%|percent\b|percentage|points?\b|pp\b|-(?:percentage[\s-])?point(?=\s(?:gain|improvement|increase|drop"
    r"|difference|lead|advantage|reduction|margin|edge|rise|decrease|gap)\b))?"
    r"(?P<times>\s?[x×](?!\w)|(?:[\s-]?fold|\s?times)(?=\s+(?:higher|lower|better|worse|gain|improvement|reduction|drop"
    r"|difference|advantage|as\s+(?:accurate|good|high|low))\b))?(?!(?![kKMGT]i?B\b)[\w^]|[.,]\d)"
)
_IN_TEXT = re.compile(r"(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?:[eE][-+]?\d+)?\s?%?")
_DECIMAL_COMMA = re.compile(
    r"(?<![\w.,])(?:(0),(\d{2,})|(\d{1,3}),(\d{1,2})(?=\s?(?:%|Prozent|pour\s+cent|points?\b|Punkte)))(?![\w]|[.,]\d)"
)
"""0,232 and 62,9 %, as many languages write them; 1,234 and a list such as 0,12,13 are something else."""
LONGEST_TEXT = 200_000
MOST_PERCENT = 100
"""Beyond which a number without a sign for it is no percentage."""
MOST_NUMBERS = 2_000
"""Numbers of a text from which on none is read."""
CONTEXT = 60
"""Characters before and after a number in which its kind is looked for."""

_COUNTED = (
    r"(?:(?!(?:in|on|for|at|of|and|are|is|the)\b)[a-z]+[\s-]){0,2}?(?:seeds?|runs?|trials?|repeats?|repetitions?|replic\w+|epochs?|steps?|iterations?|folds?"
    r"|samples?|draws?|examples?|images?|points|rows?|observations?|subjects?|participants?|tasks?|datasets?"
    r"|layers?|heads?|parameters?|tokens?|classes|features?|dimensions?|bins?|batches|rounds?|permutations?"
    r"|resamples?|bootstraps?|models?|networks?|documents?|sentences?|nodes?|clients?|agents?|episodes?"
    r"|columns?|variables?|candidates?|predictions?|measurements?|measured|items?|labels?|words?|files?"
    r"|pairs|dialogues?|conversations?|texts?|questions?|problems|users?|patients?|cases|records?|instances?"
    r"|throws?|dice|splits?|settings?|others|calls?|trees?|neurons?|units?|methods"
    r"|times(?!\s+(?:more|less|larger|smaller))|configurations?|seconds?|minutes?|hours?|days?|gpus?|cores?)\b"
)
_COUNT_AFTER = re.compile(rf"\s*(?:-\s*)?{_COUNTED}", re.IGNORECASE)
_COUNT_BEFORE = re.compile(rf"\b(?:[nNkKmMdDTB]|{_COUNTED})\s*(?:=|of|:|was|were|is|at)\s*$")
_COUNT_CHANGES = re.compile(
    r"\bnumber\s+of\s+(?:[\w-]+\s+){1,2}(?:increase[sd]?|rises?|rose|grows?|grew|goes|went|falls?|fell"
    r"|decrease[sd]?|drop(?:s|ped)?)\s+(?:from|to)\s+(?:\d+\s+to\s+)?$",
    re.IGNORECASE,
)
"""Words before what may be a setting: "as the number of models increases from 1 to 3"."""
_LEVEL_AFTER = re.compile(
    rf"[\s-]*(?:(?:(?!(?:{MEASURE}|(?:in|on|for|at|of|and|or|are|is|the|to))\b)[a-z-]+\s){{0,2}}?"
    r"(?:CIs?\b|c\.i\.|intervals?\b|percentiles?\b|quantiles?\b|half-?widths?\b|HDIs?\b)"
    r"|(?:confidence|credib\w+|prediction|error|simultaneous|pointwise|significance)\s+(?:bands?|levels?|limits?)\b)"
    rf"(?!\s+(?:{MEASURE})\b)",
    re.IGNORECASE,
)
"""What makes 95% the level of an interval, a band or a test; 95% "of predictions" are a result."""
_LEVEL_WORD_AFTER = re.compile(
    r"\s*(?:(?!(?:in|on|for|at|of|and|or)\b)[a-z-]+\s){0,2}?(?:confidence|credib\w+|intervals?|significance|bands?|levels?)\b",
    re.IGNORECASE,
)
"""What may make it one: "95% confidence", "the 99% level"."""
_TEST_BEFORE = re.compile(r"\bsignifican\w+\s+at\s+(?:the|an?)\s+$", re.IGNORECASE)
_TEST_LEVELS = {0.1, 1.0, 5.0, 10.0}
_LEVELS = {50.0, 68.0, 75.0, 80.0, 90.0, 95.0, 97.5, 98.0, 99.0, 99.5, 99.9}
_P_BEFORE = re.compile(
    r"(?:\bp(?:\s*-?\s*values?)?|\bα|\balpha|significan\w+(?:\s+level)?(?:\s+of)?(?:\s+at)?(?:\s+the)?)"
    r"(?:\s+(?:is|are|was|were|of|all|below|under|less|than|smaller))*\s*(?P<sign><=?|>=?|≤|≥|≪|=)?\s*$",
    re.IGNORECASE,
)
_P_BOUND = re.compile(r"\bp\s?(?:<|≤|≪)\s?10\s?\^\s?[-−]\s?\d{1,2}(?!\d)")
_THRESHOLDS = {0.1, 0.05, 0.01, 0.005, 0.001, 0.0005, 0.0001}
_LABEL = re.compile(
    r"(?:\b(?:tables?|figures?|figs?|sections?|secs?|eqs?|equations?|appendix|algorithms?|chapters?|lines?|pages?"
    r"|pp|versions?|python|cuda|pytorch|torch|numpy|seeds?|experiments?|hypothesis|questions?|layers?|no"
    r"|studies|study|runs?|conditions?|groups?|variants?|claims?|steps?)|[§#])\.?\s*\(?\s*$",
    re.IGNORECASE,
)
_NAME_BEFORE = re.compile(r"[A-Za-z]-$")
_NAMED_AFTER = re.compile(
    r"-(?:way|shot|layer|bit|dimensional|sided|tailed|class|step|dim|hop|head|point|fold\s+(?:cross|CV\b|valid))",
    re.IGNORECASE,
)
_DATE = re.compile(r"\b(?:19|20)\d\d-(?:0\d|1[0-2])-[0-3]\d(?:[T ]\d{2}:\d{2}(?::\d{2})?)?\b")
_SPREAD_BEFORE = re.compile(
    r"(?:\b(?:standard\s+(?:deviations?|errors?)|std|s\.?d\.?|s\.?e\.?m?\.?|spread)\b[\w\s,]{0,30}?(?:=|of|is|:)?|"
    r"\bto\s+within|±|\+/)\s*$",
    re.IGNORECASE,
)
"""How far a result moves: results seldom contain it."""
_OF_MACHINE_AFTER = re.compile(
    r"\s*(?:[kKMGT]i?B|bytes?)\s+(?:of\s+)?(?:[a-z]+\s+)?(?:RAM|VRAM|disk|storage|swap|GPUs?|CPUs?|machine|card|cores?)\b",
    re.IGNORECASE,
)
_OF_MACHINE_BEFORE = re.compile(
    r"\b(?:(?:machine|laptop|server|node|GPU|CPU|card|host)s?\s+(?:with|has|have|had|of)(?:\s+\w+)?"
    r"|(?:limit\w*|cap\w*|budget|V?RAM)\s*(?:to|of|at|:|=|is|was)?)\s*$",
    re.IGNORECASE,
)
"""Amounts of memory that describe the machine or a limit."""
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
_SETTING = re.compile(
    r"\b(?:(?:learning|dropout|decay|sampling|mutation|warm-?up)\s+rates?|lr|temperature|dropout|weight\s+decay"
    r"|momentum|(?:batch|sample|step|window|population|kernel|patch|hidden|embedding)\s+(?:size|dimension)|tolerance"
    r"|epsilon|gamma|beta|lambda|sigma|tau|seed|depth|width|rank|degree|budget|fold|[εγβλστημδ])"
    r"\s*(?:=|of|:|was|is|at|fixed\s+at|set\s+to)?\s*$",
    re.IGNORECASE,
)
_AMBIGUOUS = re.compile(
    r"\b(?:rate|[a-z]*size|dimension|probability|fraction|coefficient|margin|threshold)"
    r"\s*(?:=|of|:|was|is|at|fixed\s+at|set\s+to)?\s*$",
    re.IGNORECASE,
)
"""What may be measured or set: not even the code shows it."""
_FACTOR_BEFORE = re.compile(
    r"\bfactors?\s+of\s+(?:(?:about|around|roughly|nearly|almost)\s+)?$", re.IGNORECASE
)
_ERRORS = re.compile(r"\b(?:errors?|mistakes?|misclassif\w+|wrong)\b", re.IGNORECASE)
"""Words near a number that may be a change of the errors which accuracies leave."""
_LEFT = re.compile(r"(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?:\s?\^\s?(?P<power>[-−]?\d{1,2})(?!\d))?")


def cited_numbers(text: str) -> list[Cited]:
    """The numbers of a text that something must show, each once."""
    return cited_in_plain(plain_text(text[:LONGEST_TEXT]))


def cited_in_plain(plain: str) -> list[Cited]:
    """The same of a plain text: markup that is read twice could hide a number."""
    plain = _DECIMAL_COMMA.sub(lambda found: ".".join(filter(None, found.groups())), plain)
    plain = _blank(_P_BOUND, _blank(_DATE, plain))
    plain = STATED_TIME.sub(
        lambda found: found.group() if found["decade"] else " " * len(found.group()), plain
    )
    numbers: dict[tuple[object, ...], Cited] = {}
    for share in _shares(plain):
        numbers.setdefault((share.text, share.values), share)
    wholes = _wholes(plain)
    plain = _blank(_SHARE_OF, plain)
    spans = []
    for cited, span in word_numbers(plain):
        numbers.setdefault((cited.text, cited.context), cited)
        spans.append(span)
    plain = _without(plain, spans)
    for match in _CITED.finditer(plain):
        context = _context(match)
        if context is not None and (read := _read(match, context)) is not None:
            cited = _with_share(read, match, wholes)
            key = (cited.values, cited.half, cited.memory_unit, cited.of_times, cited.context, cited.side)
            numbers.setdefault(key, cited)
    for cited in _unread(_blank(_CITED, plain)):
        numbers.setdefault((cited.text,), cited)
    return list(numbers.values())


def has_too_many(plain: str) -> bool:
    """Whether a text has more numbers than are read."""
    numbers = chain(_LEFT.finditer(plain), *(pattern.finditer(plain) for pattern in WORD_PATTERNS))
    return next(islice(numbers, MOST_NUMBERS, None), None) is not None


def _blank(pattern: re.Pattern[str], plain: str) -> str:
    """The text with blanks for what a pattern finds."""
    return pattern.sub(lambda match: " " * len(match.group()), plain)


def _without(plain: str, spans: Iterable[tuple[int, int]]) -> str:
    pieces, last = [], 0
    for start, end in sorted(spans):
        if start >= last:
            pieces += [plain[last:start], " " * (end - start)]
            last = end
    return "".join([*pieces, plain[last:]])


def _unread(plain: str) -> Iterator[Cited]:
    """What no other rule reads: "v1.23", "2^10", "ResNet50", "12,13,14"."""
    for match in _LEFT.finditer(plain):
        digits, power = match.group().partition("^")[0].strip().replace(",", ""), match["power"]
        number = float(digits)
        if power is not None and number < 1e3:
            number = number ** int(power.replace("−", "-")) if number else 0.0
        is_level = number in _LEVELS and _LEVEL_AFTER.match(
            match.string[match.end() :][:CONTEXT].removeprefix("th")
        )
        if math.isfinite(number) and (number >= LEAST_WHOLE or number != int(number)) and not is_level:
            half = 0.5 * 10.0 ** -len(digits.partition(".")[2]) if power is None else 0.001 * number
            values, halves = (number, number / 100), (half, half / 100)
            yield Cited(match.group(), values, halves, scales=("any", "share"), context="set-up")


def _shares(plain: str) -> Iterable[Cited]:
    """Shares as counts: "511 of 540" and "511/540" are 0.946, as far as whole counts tell, or 511."""
    for match in _SHARE_OF.finditer(plain):
        whole = _whole(match["whole"])
        for part in (_whole(text) for text in (match["other"], match["part"]) if text is not None):
            if part <= whole and whole >= LEAST_WHOLE:
                values = (part / whole, 100 * part / whole, float(part))
                halves = (0.5 / whole, 50 / whole, 0.0)
                yield Cited(match.group(), values, halves, scales=("any", "percent", "any"), context="result")
            elif part > whole:
                yield Cited(match.group(), (float(part),), (0.5,), context="result")


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


def _read(match: re.Match[str], context: Context) -> Cited | None:
    mantissa = match["number"].replace(",", "")
    exponent = int((match["power"] or "e0")[1:])
    before, after = _around(match)
    number = float(f"{mantissa}e{exponent}")
    if not math.isfinite(number):
        return None
    half = 0.5 * 10.0 ** (exponent - len(mantissa.partition(".")[2]))
    is_small = number < LEAST_WHOLE and mantissa.isdigit()
    any_scale: Scale = "error" if _ERRORS.search(f"{before} {after}") else "any"
    readings: dict[Scale, float] = {any_scale: 1.0}
    if match["share"]:
        readings = {any_scale if match["share"] in ("%", "percent") else "difference": 0.01, "percent": 1.0}
    elif not (match["times"] or number > MOST_PERCENT or is_small):
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
        context=context,
        side=bound_before(before),
    )


def _around(match: re.Match[str]) -> tuple[str, str]:
    """What stands before and after a number."""
    before = match.string[max(0, match.start() - CONTEXT) : match.start()]
    return before, match.string[match.end() : match.end() + CONTEXT]


def _context(match: re.Match[str]) -> Context | None:
    """What a number is by the words around it; None where statistics agree on it, or it only counts a few."""
    before, after = _around(match)
    number = float(match["number"].replace(",", "") + (match["power"] or ""))
    if _SPREAD_BEFORE.search(before):
        return "open"
    if match["share"] or match["times"]:
        if not match["times"] and (level := _level(number, before, after)) is not None:
            return None if level else "open"
        is_change = match["times"] or BY_BEFORE.search(before)
        return "result" if is_change or follows_result_word(before) else "plain"
    p_value = _P_BEFORE.search(before)
    is_threshold = number in _THRESHOLDS or (number < 1 and "." not in match["number"])
    if p_value and is_threshold and (p_value["sign"] != "=" or p_value.group()[:1] not in "pP"):
        return None
    if _COUNT_CHANGES.search(before):
        return "set-up"
    is_set_up = _is_set_up(match, before, after)
    follows = follows_result_word(before)
    if number < LEAST_WHOLE and number == int(number) and "." not in match["number"] and not match["power"]:
        if _FACTOR_BEFORE.search(before):
            return "result" if CHANGES.search(before) else "set-up"
        return "result" if follows and not is_set_up else None
    if is_set_up:
        return "set-up"
    if _AMBIGUOUS.search(before) or (1900 <= number < 2100 and match["number"].isdigit() and not follows):
        return "open"
    return "result" if follows else "plain"


def _level(number: float, before: str, after: str) -> bool | None:
    """Whether a percentage is a level of statistics; False where it only may be one, None for no level."""
    if number in _LEVELS and _LEVEL_AFTER.match(after):
        return True
    if not (number in _LEVELS | _TEST_LEVELS and _LEVEL_WORD_AFTER.match(after)):
        return None
    return bool(_TEST_BEFORE.search(before))


def _is_set_up(match: re.Match[str], before: str, after: str) -> bool:
    """Whether a number sets, counts or names something, by the words around it."""
    if any(pattern.search(before) for pattern in (_SETTING, _LABEL, _NAME_BEFORE, _OF_MACHINE_BEFORE)):
        return True
    if _NAMED_AFTER.match(after) or _OF_MACHINE_AFTER.match(after):
        return True
    is_whole = "." not in match["number"]
    return is_whole and bool(_COUNT_AFTER.match(after) or _COUNT_BEFORE.search(before))


def numbers_in(texts: Iterable[str]) -> set[float]:
    """Every number of some texts, with shares as such too."""
    numbers = set()
    for match in (match for text in texts for match in _IN_TEXT.finditer(text[:LONGEST_TEXT])):
        number = as_number(match.group().replace(" ", ""))
        plain = as_number(match.group().rstrip(" %"))
        numbers |= {value for value in (number, plain) if value is not None}
    return numbers
