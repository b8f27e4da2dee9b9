"""A conclusion as plain text: markup, invisible signs and numbers in words are all read as one notation."""

from __future__ import annotations

import html
import re
import unicodedata

_UNITS = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven"),
    *("twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
)
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_SMALL = {name: value for value, name in enumerate(_UNITS)}
_SMALL |= {name: 10 * value for value, name in enumerate(_TENS, 2)}
_LARGE = {"dozen": 12, "hundred": 100, "thousand": 1_000, "million": 1_000_000, "billion": 1_000_000_000}
_WORD = rf"(?:{'|'.join([*_SMALL, *_LARGE])})"
_SPELT = re.compile(
    rf"\b{_WORD}(?:(?:\s+and\s+|[\s-]+){_WORD})*(?:\s+point(?:\s+(?:{'|'.join(_UNITS[:10])}|oh))+)?\b",
    re.IGNORECASE,
)
_TAG = re.compile(r"<[/a-zA-Z][^<>]{0,200}>")
_COMMAND = re.compile(r"\\(?:[a-zA-Z]+\*?|[,;!: ])")
_RAISED = {ord(sign): plain for sign, plain in zip("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-", strict=True)}
_RAISED_RUN = re.compile(rf"[{''.join(map(chr, _RAISED))}]+")
_AFTER_WHOLE = re.compile(r"(?<=\d)(?=[¼½¾⅐-⅞])")
_FOOTNOTE = re.compile(rf"(?<=\d)(?P<decimal>\.\d+)(?:[{''.join(map(chr, _RAISED))}]+|\^\{{?[*†‡]+\}}?)")
"""A decimal with a mark for a footnote: 0.993¹ and 0.97^{*}."""
_IN_LIST = re.compile(r"(?P<decimal>\.\d+),(?=[-+−]?\.?\d)")
"""What joins two decimals of a list that has no blanks."""
_SHARE_WORD = re.compile(r"(?<=\d)\s?pct\b", re.IGNORECASE)
_PER_CENT = re.compile(r"\bper\s{1,3}cent\b", re.IGNORECASE)
_UNIT_AFTER = re.compile(r"[\s-](?:percent\b|percentage\b|points?\b|pp\b)", re.IGNORECASE)
_FACTOR_BEFORE = re.compile(r"\bfactors? of (?:[a-z]+ )?$", re.IGNORECASE)
"""What makes a small number in words one that is read: "five percent", "a factor of seven"."""
_JOINED_UNIT = re.compile(r"(?<=\d)(?=(?:dB|pts?|ppl|nats)\b)")
_TIMES_TEN = re.compile(r"(?<=\d)\s?[×x·⋅*]\s?10\s?\^\s?(?P<sign>[-−]?)\s?(?P<power>\d{1,2})(?![\w.^]\d)")
"""What makes 3.2 × 10^-8 of 3.2."""
_SCALED = re.compile(
    r"(?<![\w.,])(?P<number>\d{1,15}(?:,\d{3})*(?:\.\d{1,15})?)(?:\s?(?P<word>thousand|million|billion|trillion)s?\b"
    r"|(?P<sign>[kKM])(?![\w^]))"
)
_SCALES = {"thousand": 3, "million": 6, "billion": 9, "trillion": 12, "k": 3, "m": 6}
"""What makes 1.5e6 of "1.5 million" and of "1.5M"."""
_MARKS = re.compile(r"[*`$\"'“”„‟«»‹›‘’‚{}|\\€£¥]+|(?<!\w)_+|_+(?!\w)")


def plain_text(text: str) -> str:
    """The text without markup, with numbers in digits; what stood between marks stays whole."""
    text = _AFTER_WHOLE.sub(" ", html.unescape(text))
    text = _IN_LIST.sub(r"\g<decimal>, ", _FOOTNOTE.sub(r"\g<decimal>", text))
    text = _JOINED_UNIT.sub(" ", _SHARE_WORD.sub("%", text))
    text = _RAISED_RUN.sub(lambda match: "^" + match.group().translate(_RAISED), text)
    text = "".join(
        sign for sign in unicodedata.normalize("NFKC", text) if unicodedata.category(sign) not in ("Cf", "Mn")
    )
    text = text.replace("\\%", "%").replace("\\times", "×").replace("\\cdot", "×")
    for pattern in (_TAG, _COMMAND, _MARKS):
        text = pattern.sub(lambda match: _gap(match), text)
    text = _TIMES_TEN.sub(lambda match: f"e{'-' if match['sign'] else ''}{match['power']}", text)
    text = _SCALED.sub(_with_power, text)
    return _SPELT.sub(_in_digits, _PER_CENT.sub("percent", text))


def _with_power(match: re.Match[str]) -> str:
    return f"{match['number'].replace(',', '')}e{_SCALES[(match['word'] or match['sign']).lower()]}"


def spelt_number(text: str) -> str | None:
    """A number in words as digits: "five" is 5; None for a text that says anything else."""
    spelt = text.strip()
    if spelt.lower() in _SMALL:
        return str(_SMALL[spelt.lower()])
    return _digits(spelt) if _SPELT.fullmatch(spelt) else None


def _gap(match: re.Match[str]) -> str:
    """Nothing inside a number, a blank anywhere else: neither may markup hide one, nor join two."""
    begin, end = match.span()
    before, after = match.string[max(begin - 1, 0) : begin], match.string[end : end + 1]
    inside = (before.isdigit() or before == ".") and (after.isdigit() or after == ".")
    return "" if inside else " "


def _in_digits(match: re.Match[str]) -> str:
    begin, end = match.span()
    is_measured = _UNIT_AFTER.match(match.string, end) or _FACTOR_BEFORE.search(
        match.string[max(0, begin - 30) : begin]
    )
    return _digits(match.group(), with_small=is_measured is not None)


def _digits(words: str, *, with_small: bool = False) -> str:
    """Number words as digits; a lone small one, or what is no number, stays as it is."""
    integer_part, _, places = re.sub(r"[\s-]+", " ", words.lower()).partition(" point ")
    total = part = 0
    for word in integer_part.split():
        if word in _SMALL:
            part += _SMALL[word]
        elif word in ("dozen", "hundred"):
            part = max(part, 1) * _LARGE[word]
        elif word in _LARGE:
            total, part = total + max(part, 1) * _LARGE[word], 0
    decimals = "".join("0" if word == "oh" else str(_SMALL[word]) for word in places.split())
    if total + part < 10 and not decimals and not with_small:
        return words
    return f"{total + part}.{decimals}" if decimals else str(total + part)
