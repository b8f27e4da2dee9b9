"""A number that a text states, in the unit of the value that the truth has."""

from __future__ import annotations

import re

from assay.rules.stated_size import without_approximation
from assay.rules.written_values import COUNTS, UNITS, read_quantity, singular_unit
from assay.tasks.claim_parts import ValuePart

_ERROR = re.compile(r"\s?(?:±|\+/-)\s?\d[\d.,]*")
_TIMES = re.compile(r"(?<=\d)\s?(?:[x×]|times|-?fold)$", re.IGNORECASE)
_PERCENT_SIGN = r"\s?(?:%|per ?cents?\b|pct\b|(?:percentage[ -])?points?\b|pp\b|p\.p\.)"
_PERCENT = re.compile(rf"(?<=\d){_PERCENT_SIGN}", re.IGNORECASE)
_DIGITS = re.compile(r"[-+−]?\d[\d.,]*")


def in_unit(part: ValuePart, text: str, quote: str = "") -> float | None:
    """A stated number in the unit of the part; None where it has no such unit, or may mean two amounts.

    80% is 80 in percent, and 0.8 as a share; 192 minutes are 3.2 hours. `quote` are the words of the text
    with the number, which may have a percent sign that a reader left out.
    """
    plain = _TIMES.sub("", _ERROR.sub("", without_approximation(text.strip())).strip())
    is_percent = _PERCENT.search(plain) is not None or _is_percent_in(quote, plain)
    quantity = read_quantity(_PERCENT.sub("", plain).strip())
    if quantity is None:
        return None
    number, unit = quantity.number, singular_unit(part.unit.casefold())
    if unit in ("%", "percent"):
        return number if is_percent else _as_percent(part, number)
    if is_percent:
        return number / 100 if unit == "" else None
    if unit == "":
        may_be_percent = 0 <= part.value <= 1 < number and _is_right(part, number / 100)
        return None if may_be_percent else number
    if unit in COUNTS:
        # "94.2" in millions, "94.2 million" and "94,200,000" cannot be mixed up.
        return number / COUNTS[unit] if _is_right(part, number / COUNTS[unit]) else number
    return _converted(number, quantity.unit, unit)


def _is_percent_in(quote: str, number: str) -> bool:
    """Whether a quote has this number with a sign for percent."""
    digits = _DIGITS.match(number)
    if digits is None:
        return False
    return (
        re.search(rf"(?<![\d.,]){re.escape(digits.group())}{_PERCENT_SIGN}", quote, re.IGNORECASE) is not None
    )


def _as_percent(part: ValuePart, number: float) -> float | None:
    """A number without a sign in percent; a small one may be a share, so it counts only if both agree."""
    if not 0 <= number <= 1:
        return number
    return number if _is_right(part, number) == _is_right(part, 100 * number) else None


def _is_right(part: ValuePart, number: float) -> bool:
    return abs(number - part.value) <= part.tolerance


def _converted(number: float, unit: str | None, wanted: str) -> float | None:
    stated_unit, wanted_unit = UNITS.get(unit or ""), UNITS.get(wanted)
    if wanted_unit is None or stated_unit is None:
        return number
    if stated_unit[0] != wanted_unit[0]:
        return None
    return number * stated_unit[1] / wanted_unit[1]
