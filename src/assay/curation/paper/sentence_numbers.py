"""Finds the numbers that a sentence states, each with its place in the sentence.

Left out are numbers that name something: references (Section 3.2, [12]), years and dates, versions, names
(GPT-4, R^2, 3D), bounds (p < 0.05) and addresses.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from assay.curation.paper.model import CellNumber, SentenceNumber

_DIGITS = r"(?:\d{1,3}(?:,\d{3})+(?![\d,])|\d+)?(?:\.\d+|(?<=\d))"
_POWER = r"(?:[eE][-+]?\d+|\s*[×x·]\s*10\s*\^\s*[-+−]?\d+)"
_NUMBER = re.compile(
    rf"(?<![\w.^/#\\§])(?<!\d,)(?P<sign>[-+−](?=[\d.]))?(?P<digits>{_DIGITS})(?P<power>{_POWER})?"
    r"(?![\w^/]*\d)(?!\.\d|,\d)"
)
_SPREAD = re.compile(rf"\s*(?:±|\+/-)\s*(?P<spread>{_DIGITS})")
_PERCENT = re.compile(r"\s*(?:%|percent\b|per cent\b)")
_UNIT = re.compile(r"(?:ms|s|x|×|dB|pp|k|K|M|B|MB|GB|m|nm|h)(?![\w-])")
_REFERENCE_WORD = re.compile(
    r"(?:\b(?:sections?|sect?|figures?|figs?|tables?|tab|equations?|eqs?|appendix|theorems?|thm|lemmas?"
    r"|propositions?|prop|corollary|definitions?|remark|algorithms?|alg|chapter|version|release|python|step"
    r"|lines?|pages?|pp?|footnotes?|notebooks?|experiment|stage|phase|part|arxiv|doi|rfc|issue|item|no|nr|v)\.?|§)\s*[(\[]?\s*"
    r"(?:\d+(?:\.\d+)*[)\]]?\s*(?:,|and|or|to|&|–|-)\s*)*[(\[]?$",
    re.IGNORECASE,
)
_MONTH = re.compile(
    r"\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?\s*(?:\d+,?\s*)?$", re.IGNORECASE
)
_BOUND = re.compile(r"(?:[<>≤≥≪≫]|\b(?:less|more|fewer|greater) than|\bat (?:most|least)|\bup to)\s*$")
_HIDDEN = re.compile(
    r"\w+://\S+|\bwww\.\S+|\b10\.\d{4,}/\S+|\[[\d\s,;–-]+\]|\b\d{4}-\d\d?(?:-\d\d?)?\b|\b\d+(?:\.\d+){2,}\b"
    r"|\b[A-Za-z][A-Za-z_]*[-_]\d[\w.]*|\b\d[\d,.]*-(?=[A-Za-z])|\barXiv:?\s*\d{4}\.\d+"
)
_ABBREVIATION = re.compile(
    r"(?:\b(?:e\.g|i\.e|cf|vs|et al|etc|approx|resp|fig|figs|eq|eqs|sec|tab|no|ref|refs|dr|prof|st|al)"
    r"|\b[A-Z])\.$",
    re.IGNORECASE,
)
_END = re.compile(r"[.!?][)\]”\"']*\s+(?=[A-Z0-9$\[(“\"*_α-ωΑ-Ω])")
MOST_LETTERS = 2_000
"""Longer pieces without a full stop are code or data, not sentences."""


def split_sentences(text: str) -> Iterator[str]:
    """Yield the sentences of a paragraph, without the spaces around them."""
    start = 0
    for match in _END.finditer(text):
        end = match.end()
        if _ABBREVIATION.search(text[start : match.start() + 1]):
            continue
        yield from _nonempty(text[start:end])
        start = end
    yield from _nonempty(text[start:])


def _nonempty(text: str) -> Iterator[str]:
    plain = " ".join(text.split())
    if plain:
        yield plain


def read_sentence_numbers(sentence: str) -> list[SentenceNumber]:
    """Return the numbers that a sentence states, in their order."""
    if len(sentence) > MOST_LETTERS:
        return []
    visible = _HIDDEN.sub(lambda match: "\0" * len(match.group()), sentence)
    numbers = []
    spread_end = 0
    for match in _NUMBER.finditer(visible):
        if match["digits"] and match.start() >= spread_end and not _names_something(visible, match):
            numbers.append(_as_number(visible, sentence, match))
            spread = _SPREAD.match(visible, match.end())
            spread_end = spread.end() if spread else 0
    return numbers


def _names_something(text: str, match: re.Match[str]) -> bool:
    """Whether a number names a thing, a day or a bound, and measures nothing."""
    before, after = text[: match.start()], text[match.end() :]
    is_whole = match["digits"].isdigit()
    if is_whole and not match["power"] and 1900 <= int(match["digits"]) <= 2099 and len(match["digits"]) == 4:
        return True
    if _REFERENCE_WORD.search(before) or _BOUND.search(before) or (is_whole and _MONTH.search(before)):
        return True
    return bool(re.match(r"[A-Za-z_\0]", after)) and not _UNIT.match(after)


def _as_number(text: str, sentence: str, match: re.Match[str]) -> SentenceNumber:
    digits = match["digits"].replace(",", "")
    exponent = int(re.split(r"[eE^]", (match["power"] or "e0").replace("−", "-"))[-1])
    sign = -1.0 if match["sign"] in ("-", "−") else 1.0
    spread = _SPREAD.match(text, match.end())
    after = spread.end() if spread else match.end()
    number = CellNumber(
        text=sentence[match.start() : match.end()],
        value=sign * float(digits) * 10.0**exponent,
        unit=10.0 ** (exponent - len(digits.partition(".")[2])),
        digits=len(digits.replace(".", "").lstrip("0")),
        percent=_PERCENT.match(text, after) is not None,
        spread=float(spread["spread"].replace(",", "")) * 10.0**exponent if spread else None,
    )
    return SentenceNumber(number=number, start=match.start(), end=match.end())
