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
_ONES = "|".join(_UNITS)
_BELOW_HUNDRED = rf"(?:(?:{'|'.join(_TENS)})(?:[\s-]+(?:{'|'.join(_UNITS[1:10])}))?|{_ONES})"
_AND = r"(?:\s+and\s+|[\s-]+)"
_HUNDREDS = rf"(?:{_BELOW_HUNDRED}[\s-]+)?(?:hundred|dozen)(?:{_AND}{_BELOW_HUNDRED})?"
_BELOW_THOUSAND = rf"(?:{_HUNDREDS}|{_BELOW_HUNDRED})"
_STEP = rf"(?:{_BELOW_THOUSAND}[\s-]+)?(?:thousand|million|billion)"
_SPELT = re.compile(
    rf"\b(?:{_STEP}(?:{_AND}{_STEP})*(?:{_AND}{_BELOW_THOUSAND})?|{_BELOW_THOUSAND})"
    rf"(?:\s+point(?:\s+(?:{'|'.join(_UNITS[:10])}|oh))+)?\b",
    re.IGNORECASE,
)
"""One number in words; "two and three" are two."""
_TAG = re.compile(r"</?[a-zA-Z]{1,10}[1-6]?\s?/?>")
"""Markup without attributes; words in angle brackets are a part of the text."""
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
_DECIMAL_COMMA = re.compile(
    r"(?<![\w.,])(?:(0),(\d{2,})|(\d{1,3}),(\d{1,2})(?=\s?(?:%|Prozent|pour\s+cent|points?\b|Punkte)))(?![\w]|[.,]\d)"
)
"""0,232 and 62,9 %, as many languages write them; 1,234 and a list such as 0,12,13 are something else."""
_MINUS_POWER = re.compile(r"(?<=\d)(?P<e>[eE])[−–‐‑](?=\d)")
_POWER_SIGN = re.compile(
    r"(?<=\d)\s?(?:\^|\*\*)\s?[{(]?\s?(?P<minus>[-−–‐‑])?\+?(?P<power>\d{1,2})(?!\d)[})]?"
)
"""A power as programs, formulas and texts write it: "10^-3", "10**-3", "10^{−3}"."""
_BARE_POWER = re.compile(r"(?<![\w.^])(?P<base>2|10)\^(?P<power>-?\d{1,2})(?![\w^]|\.\d)")
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
    text = _times_ten(_MINUS_POWER.sub(r"\g<e>-", text))
    for pattern in (_TAG, _COMMAND, _MARKS):
        text = pattern.sub(lambda match: _gap(match), text)
    text = _SCALED.sub(_with_power, _times_ten(text))
    text = _DECIMAL_COMMA.sub(lambda match: ".".join(filter(None, match.groups())), text)
    return _SPELT.sub(_in_digits, _PER_CENT.sub("percent", text))


def without_powers(text: str) -> str:
    """A short text with powers of ten and two as plain numbers: "3 × 10⁻⁴" is 3e-4, "10**-3" 0.001."""
    text = _RAISED_RUN.sub(lambda match: "^" + match.group().translate(_RAISED), text)
    text = _POWER_SIGN.sub(lambda match: f"^{'-' if match['minus'] else ''}{match['power']}", text)
    text = _times_ten(_MINUS_POWER.sub(r"\g<e>-", text.replace("\\times", "×")))
    return _BARE_POWER.sub(lambda match: f"{float(match['base']) ** int(match['power']):.15g}", text)


def with_first_in_digits(text: str) -> str:
    """A text that begins with a number in words, with this number in digits: "five epochs" is "5 epochs"."""
    match = _SPELT.match(text)
    if match is None or not re.match(r"\s|%|$", text[match.end() :]):
        return text
    return _digits(match.group(), with_small=True) + text[match.end() :]


def _times_ten(text: str) -> str:
    return _TIMES_TEN.sub(lambda match: f"e{'-' if match['sign'] else ''}{match['power']}", text)


def _with_power(match: re.Match[str]) -> str:
    return f"{match['number'].replace(',', '')}e{_SCALES[(match['word'] or match['sign']).lower()]}"


def spelt_number(text: str) -> str | None:
    """A number in words as digits: "five" is 5; None for a text that says anything else."""
    spelt = text.strip()
    if spelt.lower() in _SMALL:
        return str(_SMALL[spelt.lower()])
    return _digits(spelt) if _SPELT.fullmatch(spelt) else None


def _gap(match: re.Match[str]) -> str:
    """Nothing inside a number, a blank anywhere else: neither may markup hide one, nor join two.

    A bar is between two cells of a table, and a single star between two numbers multiplies them.
    """
    begin, end = match.span()
    before, after = match.string[max(begin - 1, 0) : begin], match.string[end : end + 1]
    inside = (before.isdigit() or before == ".") and (after.isdigit() or after == ".")
    return "" if inside and "|" not in match.group() and match.group() != "*" else " "


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
