"""The numbers that a text cites as results: not those that only name, count or lay out the experiment.

What it does not cover: whether a number stands beside the right name, and numbers hidden in other languages'
words. Contexts that are let through (a confidence level, a count of seeds, a table's number) are listed here.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from collections.abc import Iterable, Set
from dataclasses import dataclass, replace

from assay.rules.entry_units import memory_unit_after
from assay.rules.number_words import word_numbers
from assay.rules.plain_text import plain_text
from assay.rules.result_words import follows_result_word
from assay.rules.written_values import as_number

_CITED = re.compile(
    r"(?<![\w.,^/±])(?P<sign>[-−+])?"
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
LEAST_WHOLE = 10
"""From which on a whole number may be a result, and so may a share of it: "2 of 3 seeds" is none."""
CONTEXT = 60
"""Characters before and after a number in which its kind is looked for."""

_COUNTED = (
    r"(?:[a-z]+[\s-]){0,2}?(?:seeds?|runs?|trials?|repeats?|repetitions?|replic\w+|epochs?|steps?|iterations?|folds?"
    r"|samples?|draws?|examples?|images?|points|rows?|observations?|subjects?|participants?|tasks?|datasets?"
    r"|layers?|heads?|parameters?|tokens?|classes|features?|dimensions?|bins?|batches|rounds?|permutations?"
    r"|resamples?|bootstraps?|models?|networks?|documents?|sentences?|nodes?|clients?|agents?|episodes?"
    r"|columns?|variables?|candidates?|predictions?|measurements?|measured|items?|labels?|words?|files?"
    r"|pairs|dialogues?|conversations?|texts?|questions?|problems|users?|patients?|cases|records?|instances?"
    r"|throws?|dice|splits?|settings?|others|calls?|trees?|neurons?|units?|methods"
    r"|times(?!\s+(?:more|less|larger|smaller))|configurations?|seconds?|minutes?|hours?|days?|gpus?|cores?)\b"
)
_AFTER_COUNT = re.compile(rf"\s*-?\s*{_COUNTED}", re.IGNORECASE)
_MEASURED_COUNT = re.compile(
    r"\b(?:in|after|within|takes?|took|needs?|needed|requires?|required|by|than|only|just|reach\w*|at)\s*"
    r"(?:about|around|roughly|only|just)?\s*$",
    re.IGNORECASE,
)
_OUTCOME_VERB = (
    r"(?:mis)?labels|(?:mis)?labell?ed|wins|won|loses|lost|solves|solved|(?:mis)?classif(?:ies|ied)|recogni[sz]e[sd]"
    r"|misses|missed|fails|failed|passes|passed|answers|answered|gets|got"
)
_OUTCOME_COUNT = re.compile(
    rf"\b(?:{_OUTCOME_VERB})\s+(?:\d[\d,]*\s+[a-z]+(?:\s+[a-z]+)?,?\s+(?:and|but|against)?\s*(?:the\s+)?(?:[a-z]+\s+)?)?"
    r"(?:about\s+|around\s+|only\s+|just\s+)?$",
    re.IGNORECASE,
)
"""What was counted afterwards: "it labels 917 images", "won 88 runs", "labels 917 images, the median 134"."""
_ABOVE = re.compile(
    r"(?:\b(?:above|over|exceed(?:s|ed|ing)?|at\s+least|(?:more|greater|higher|better|larger)\s+than)|[>≥])\s*$",
    re.IGNORECASE,
)
_BELOW = re.compile(
    r"(?:\b(?:below|under|at\s+most|(?:less|lower|worse|smaller|fewer)\s+than)|[<≤])\s*$", re.IGNORECASE
)
NEAR_BOUND = 0.08
"""How far from a stated bound, as a share of it, a result may lie that fulfils it."""
_OVER_BEFORE = re.compile(
    r"\b(?:over|across|with|using|on|in|of|for|from|per|all|the|these|our|each|after|at)\s+$", re.IGNORECASE
)
_RIGHT_AFTER = re.compile(
    r"\s(?:images|samples|examples|cases|items|questions|documents|texts|sentences|tokens|words|records|instances)"
    r"\s+(?:in)?(?:correctly|right|wrong(?:ly)?)\b",
    re.IGNORECASE,
)
_YEAR_OF_RESULT = re.compile(
    r"\b(?:rewards?|returns?|scores?|scored|accuracy|loss|errors?|perplexity|reach(?:es|ed)?|achieve[sd]?"
    r"|attain(?:s|ed)?|gets|got|obtain(?:s|ed)?)\s+(?:(?:an?|of|is|was|to|about|around|at|reward|score|return)\s+){0,3}"
    r"(?:\d[\d,.]*\s+(?:(?:against|vs\.?|versus|and|compared\s+(?:with|to))\s+))?$",
    re.IGNORECASE,
)
"""Words after which 2013 is no year: "a reward of 2013 against 1950"."""
_SIZE = re.compile(
    r"(?:\b[nNkKmMdDTB]|\b(?:seeds?|epochs?|steps?|size|dimension|depth|width|rank|degree|fold|budget"
    r"|iterations?|samples|layers?))\s*(?:=|of|:|was|is|at)?\s*$"
)
_LEVEL_AFTER = re.compile(
    r"\s*(?:(?:[a-z-]+\s){0,2}?(?:confidence|credib\w+|CIs?\b|intervals?\b|percentile|quantile|half-?width"
    r"|significance|HDI|c\.i\.|(?:prediction|error|simultaneous|pointwise)\s+bands?\b)|bands?\b|levels?\b)",
    re.IGNORECASE,
)
"""What makes 95% a level of statistics; 95% "of predictions" are a result."""
_LEVELS = {50.0, 68.0, 75.0, 80.0, 90.0, 95.0, 97.5, 98.0, 99.0, 99.5, 99.9}
_P_BEFORE = re.compile(
    r"(?:\bp(?:\s*-?\s*values?)?|\bα|\balpha|significan\w+(?:\s+level)?(?:\s+of)?(?:\s+at)?(?:\s+the)?)"
    r"(?:\s+(?:is|are|was|were|of|all|below|under|less|than|smaller))*\s*(?P<sign><=?|>=?|≤|≥|≪|=)?\s*$",
    re.IGNORECASE,
)
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
_DATE = re.compile(r"\b\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2})?)?\b")
_SPREAD_BEFORE = re.compile(
    r"(?:\b(?:standard\s+(?:deviations?|errors?)|std|s\.?d\.?|s\.?e\.?m?\.?|spread)\b[\w\s,]{0,30}?(?:=|of|is|:)?|"
    r"\bto\s+within)\s*$",
    re.IGNORECASE,
)
"""How far a result moves: results seldom contain it."""
_TOOK_BEFORE = re.compile(
    r"\b(?:took|takes|lasted|ran\s+for|runs\s+for|run\s*time\s+(?:of|was|is))\s*$", re.IGNORECASE
)
_TIME_AFTER = re.compile(r"\s*(?:ms|s|sec|seconds?|min|minutes?|h|hours?)\b", re.IGNORECASE)
_CLOCK_AFTER = re.compile(
    r"\s*(?:(?:against|vs\.?|versus|and|or|to|-|–)\s*\d[\d.,]*\s*)?(?:ms|s|sec|secs|seconds?|min|minutes?)\b(?!\^)"
)
"""A time on the clock, which another machine does not repeat."""
_MACHINE_AFTER = re.compile(r"\s*(?:cores?|GPUs?|CPUs?|GHz)\b")
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
_SHARE_OF = re.compile(r"(?<![\w./])(?P<part>\d+)(?: of (?:the |all )?|/)(?P<whole>\d+)(?![\w/%]|[.,]\d)")
_TWO_SHARES_OF = re.compile(
    r"(?<![\w./])(\d+)(\s+(?:vs\.?|versus|against|and|or)\s+\d+)( of (?:the |all )?\d+)(?![\w/%]|[.,]\d)"
)
"""Two counts of one whole: "127 vs. 135 of 160"."""
_OF_WHOLE = re.compile(r"\bof (?:all )?(?:the |these )?(?P<whole>\d{2,9})\s+[a-z]", re.IGNORECASE)
_SENTENCE_END = re.compile(r"[.!?;](?=\s)|\n")
"""What ends the reach of a whole: "of the 590 predictions 371 are right"."""
_SETTING = re.compile(
    r"\b(?:learning\s+rates?|lr|rate|temperature|threshold|dropout|weight\s+decay|momentum|batch\s+size"
    r"|coefficient|probability|tolerance|epsilon|gamma|beta|lambda|sigma|tau|margin|fraction|seed"
    r"|[a-z]*size|[εγβλστημδ])\s*(?:=|of|:|was|is|at|fixed\s+at|set\s+to)?\s*$",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Cited:
    """A number as a text has it."""

    text: str
    values: tuple[float, ...]
    """What it may stand for: 93.4% is 0.934, and 93.4 where the results count in percent."""
    half: tuple[float, ...]
    """Half a unit of its last digit, for each."""
    ratio: bool = False
    """Whether it compares two results, as "twice as high" does."""
    memory_unit: str | None = None
    """The unit of an amount of memory, as `memory_unit_after` gives it; None for any other number."""
    shares_unit: bool = False
    """Whether that unit stands behind a list that the number begins, so that it may belong to the others."""
    of_times: bool = False
    """Whether it compares two times, as "3 times as fast" does."""
    is_coarse: bool = False
    """Whether it is so coarse that results may have it by chance, as "two thirds"; then it does not count."""


def cited_numbers(text: str, stated: Set[float] = frozenset()) -> list[Cited]:
    """The numbers that state a result, each once; `stated` are those of the submission's own set-up."""
    return _cited_in(plain_text(text[:LONGEST_TEXT]), stated)


def _cited_in(plain: str, stated: Set[float]) -> list[Cited]:
    plain = _DATE.sub(" ", plain)
    plain = _DECIMAL_COMMA.sub(lambda found: ".".join(filter(None, found.groups())), plain)
    plain = _TWO_SHARES_OF.sub(r"\1\3\2\3", plain)
    numbers: dict[tuple[object, ...], Cited] = {}
    for share in _shares(plain):
        numbers.setdefault((share.text,), share)
    plain = _SHARE_OF.sub(" ", plain)
    wholes = _wholes(plain)
    for match in _CITED.finditer(plain):
        cited = _with_share(_read(match), match, wholes)
        if cited is not None and not _is_set_up(match, cited, stated):
            numbers.setdefault((cited.values, cited.half, cited.memory_unit, cited.of_times), cited)
    for cited in (*_compared(plain), *_in_words(plain)):
        numbers.setdefault((cited.text,), cited)
    return list(numbers.values())


def measured_in_plain(plain: str, known: Iterable[float], settings: Iterable[float]) -> list[Cited]:
    """The cited numbers but for known ones, such as those of the question; `settings` are the set-up's.

    The text is plain already: markup that is read twice could hide a number.
    """
    given = frozenset(known)
    cited = _cited_in(plain, given | frozenset(settings))
    return [number for number in cited if not given & set(number.values)]


def _shares(plain: str) -> Iterable[Cited]:
    """Shares as counts: "511 of 540" and "511/540" are 0.946, as far as whole counts tell, or 511."""
    for match in _SHARE_OF.finditer(plain):
        part, whole = int(match["part"]), int(match["whole"])
        if part <= whole and whole >= LEAST_WHOLE:
            values = (part / whole, 100 * part / whole, float(part))
            yield Cited(match.group(), values, (0.5 / whole, 50 / whole, 0.0))


def _wholes(plain: str) -> list[tuple[int, int | None]]:
    """Places in order, each with the whole that counts from there on; None where a sentence ends."""
    wholes = [(match.end(), int(match["whole"])) for match in _OF_WHOLE.finditer(plain)]
    ends = [(match.start(), None) for match in _SENTENCE_END.finditer(plain)]
    return sorted([*wholes, *ends], key=lambda place: place[0])


def _with_share(
    cited: Cited | None, match: re.Match[str], wholes: list[tuple[int, int | None]]
) -> Cited | None:
    """A whole number that may also be a share of the whole that its sentence named before."""
    place = bisect_right(wholes, match.start(), key=lambda place_of_whole: place_of_whole[0])
    count = wholes[place - 1][1] if place else None
    if cited is None or count is None or not match["number"].isdigit() or match["share"] or match["times"]:
        return cited
    part = cited.values[0]
    if part > count or cited.memory_unit is not None or match["power"]:
        return cited
    return replace(cited, values=(*cited.values, part / count), half=(*cited.half, 0.5 / count))


def _read(match: re.Match[str]) -> Cited | None:
    """The number; None below 10 for a whole one, which counts or names rather than measures."""
    mantissa = match["number"].replace(",", "")
    exponent = int((match["power"] or "e0")[1:])
    before, after = _around(match)
    number = float(f"{mantissa}e{exponent}")
    if _has_one_digit(match) and number < LEAST_WHOLE and exponent >= 0:
        return None
    if not math.isfinite(number):
        return None
    half = 0.5 * 10.0 ** (exponent - len(mantissa.partition(".")[2]))
    scales = (0.01, 1.0) if match["share"] else (1.0,) if match["times"] else (1.0, 0.01)
    values, halves = tuple(number * scale for scale in scales), tuple(half * scale for scale in scales)
    unit, is_shared = memory_unit_after(after) or (None, False)
    of_times = bool(_OF_TIMES_AFTER.match(after) or _OF_TIMES_BEFORE.search(before))
    cited = Cited(
        match.group().strip(), values, halves, memory_unit=unit, shares_unit=is_shared, of_times=of_times
    )
    return _as_bound(cited, before)


def _as_bound(cited: Cited, before: str) -> Cited:
    """A bound ("above 93%") stands for the numbers that fulfil it and lie near it."""
    side = 1 if _ABOVE.search(before) else -1 if _BELOW.search(before) else 0
    if side == 0:
        return cited
    reach = [NEAR_BOUND * abs(value) / 2 for value in cited.values]
    values = tuple(value + side * distance for value, distance in zip(cited.values, reach, strict=True))
    halves = tuple(half + distance for half, distance in zip(cited.half, reach, strict=True))
    return replace(cited, values=values, half=halves)


def _has_one_digit(match: re.Match[str]) -> bool:
    """Whether a number is whole with one digit that is not zero, and not marked as a share or a ratio."""
    number = match["number"].replace(",", "")
    return "." not in number and len(number.strip("0")) < 2 and not (match["share"] or match["times"])


def _around(match: re.Match[str]) -> tuple[str, str]:
    """What stands before and after a number."""
    before = match.string[max(0, match.start() - CONTEXT) : match.start()]
    return before, match.string[match.end() : match.end() + CONTEXT]


def _is_set_up(match: re.Match[str], cited: Cited, stated: Set[float]) -> bool:
    """Whether a number lays out the experiment, names something, or is a level that statistics agree on."""
    before, after = _around(match)
    number = float(match["number"].replace(",", "") + (match["power"] or ""))
    if match["share"] or match["times"]:
        return number in _LEVELS and bool(_LEVEL_AFTER.match(after)) and not match["times"]
    if number in stated and _has_one_digit(match) and not follows_result_word(before):
        return True
    if _SPREAD_BEFORE.search(before) or _MACHINE_AFTER.match(after) or _CLOCK_AFTER.match(after):
        return True
    if _TOOK_BEFORE.search(before) and _TIME_AFTER.match(after):
        return True
    if cited.memory_unit is not None and (
        number in stated or _OF_MACHINE_AFTER.match(after) or _OF_MACHINE_BEFORE.search(before)
    ):
        return True
    p_value = _P_BEFORE.search(before)
    if p_value and number in _THRESHOLDS:
        return p_value["sign"] != "=" or "p" not in p_value.group().lower()[:1]
    if number in stated and (_SETTING.search(before) or _SIZE.search(before)):
        return True
    if _has_one_digit(match) and number < 1 and (_SETTING.search(before) or p_value):
        return True
    label = _LABEL.search(before)
    if "." in match["number"]:
        named = bool(_NAME_BEFORE.search(before)) and len(match["number"].partition(".")[2]) == 1
        return number < 20 and (bool(label) or named) and len(match["number"]) <= 5
    return _is_count(match, number, before, after, stated) or bool(label)


def _is_count(match: re.Match[str], number: float, before: str, after: str, stated: Set[float]) -> bool:
    """Whether a whole number counts runs or samples, is a year, or belongs to a name."""
    if _NAME_BEFORE.search(before) or _NAMED_AFTER.match(after) or _SIZE.search(before):
        return True
    if 1900 <= number < 2100 and len(match["number"]) == 4 and not _YEAR_OF_RESULT.search(before):
        return True
    if not _AFTER_COUNT.match(after):
        return False
    return number in stated or not _was_counted(before, after)


def _was_counted(before: str, after: str) -> bool:
    """Whether a count is an outcome of the run, and not a number of what it used."""
    if _MEASURED_COUNT.search(before):
        return True
    if _OVER_BEFORE.search(before):
        return False
    return bool(_OUTCOME_COUNT.search(before) or _RIGHT_AFTER.match(after))


_TIMES = {"twice": 2.0, "double": 2.0, "doubles": 2.0, "doubled": 2.0, "triple": 3.0, "triples": 3.0}
_TIMES |= {"tripled": 3.0, "thrice": 3.0, "half": 0.5, "halves": 0.5, "halved": 0.5}
_RATIO = re.compile(
    rf"\b(?P<word>{'|'.join(_TIMES)})\s+(?:as\s+(?P<how>\w+)|(?:the|its|that\s+of|of\s+the|of\s+that)\b\s*(?P<what>\w*))",
    re.IGNORECASE,
)
_QUANTITIES = re.compile(
    r"(?:accura\w+|errors?|loss\w*|rates?|scores?|variance|mean|medians?|biase?s?|values?|speed|times?|cost|memory"
    r"|perplexity|gaps?|size|precision|recall|reward|deviation|performance|throughput|latency|high|large|big|small"
    r"|low|good|bad|fast|slow|accurate|likely|often|much|strong|wide|great|long|short)$",
    re.IGNORECASE,
)


def _compared(plain: str) -> Iterable[Cited]:
    """Ratios in words: "twice as high", "half the error"; "half of the data" is no result."""
    for match in _RATIO.finditer(plain):
        if _QUANTITIES.match(match["how"] or match["what"] or ""):
            ratio = _TIMES[match["word"].lower()]
            yield Cited(match.group(), (ratio, 1 / ratio), (ratio / 4, 1 / ratio / 4), ratio=True)


def _in_words(plain: str) -> Iterable[Cited]:
    for word in word_numbers(plain):
        values = tuple((low + high) / 2 for low, high in word.ranges)
        halves = tuple((high - low) / 2 for low, high in word.ranges)
        yield Cited(word.text, values, halves, of_times=word.of_times, is_coarse=True)


def numbers_in(texts: Iterable[str]) -> set[float]:
    """Every number of some texts, with shares as such too."""
    numbers = set()
    for match in (match for text in texts for match in _IN_TEXT.finditer(text[:LONGEST_TEXT])):
        number = as_number(match.group().replace(" ", ""))
        plain = as_number(match.group().rstrip(" %"))
        numbers |= {value for value in (number, plain) if value is not None}
    return numbers
