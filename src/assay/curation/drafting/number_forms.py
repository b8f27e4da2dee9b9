"""Reads numbers in the forms in which people write results: with a comma, in percent, as powers, rounded.

Each number is one plain decimal text, so that two forms of the same number are equal. Signs do not count.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation

LEAST_DIGITS = 3
"""Significant digits by which a number is recognized without a name beside it."""
_LEAST_SCALED_DIGITS = 4
"""Digits of a number that may be a percentage without saying so."""
_MOST_DIGITS = 6
_NO_DIGITS = dict.fromkeys(map(ord, ".,'’_ \u00a0\u2009\u202f\\"))
_LONGEST = 40
_LARGEST_EXPONENT = 30
_FRACTIONS = r"[0-9]+(?:\.[0-9]+)*|\.[0-9]+(?:\.[0-9]+)*"
_POWER = r"[eE][-+]?[0-9]{1,4}|[ ]?(?:[x*×·]|\\times|\\cdot)[ ]?10(?:\^|\*\*)[{(]?[-+−]?[0-9]{1,4}"
_NUMBER = re.compile(rf"({_FRACTIONS})({_POWER})?([ ~]?\\?%|[ ]percent|[ ]per cent)?")
_WITH_COMMA = re.compile(rf"(?<![0-9.,])([0-9]+,[0-9]+)(?![0-9]|[.,][0-9])({_POWER})?([ ~]?\\?%|[ ]percent)?")
_GROUPED = re.compile(
    r"(?<![0-9.,])[0-9]{1,3}(?:(?:[,'’_ \u00a0\u2009\u202f]|\\,)[0-9]{3})+(?:\.[0-9]+)?(?![0-9])"
    r"|(?<![0-9.,])[0-9]{1,3}(?:\.[0-9]{3})+,[0-9]+(?![0-9])"
)
"""1,234.5 and 1 234.5 and 1.234,5."""


def numbers_in(text: str, beginnings: Collection[str] | None = None) -> Iterator[str]:
    """Yield every number of a text as a plain decimal, and what it is as a percentage and with six digits.

    `beginnings` limits this to numbers that begin so (see `beginning`), which is faster by far.
    """
    for match in _GROUPED.finditer(text):
        number = match.group()
        if beginnings is not None and beginning(number) not in beginnings:
            continue
        if re.search(r"\.[0-9]{3},|\.[0-9]+\.[0-9]", number):
            number = number.replace(".", "").replace(",", ".")
        yield from _forms(re.sub(r"[^0-9.]", "", number), "", is_percent=False)
    for pattern in (_NUMBER, _WITH_COMMA):
        for match in pattern.finditer(text):
            number, power, percent = match.groups()
            if beginnings is not None and beginning(number) not in beginnings:
                continue
            yield from _forms(number.replace(",", "."), power or "", is_percent=bool(percent))


def beginning(number: str) -> str:
    """Return the first three digits of a number, from the first that is not zero."""
    return number.translate(_NO_DIGITS).lstrip("0")[:LEAST_DIGITS].ljust(LEAST_DIGITS, "0")


def plain_number(text: str) -> str:
    """Return the first number of a printed text as a plain decimal, without its unit and its separators."""
    match = _NUMBER.search(re.sub(r"(?<=[0-9])[,\u202f ](?=[0-9]{3})", "", text))
    if match is None:
        return text
    return next(_forms(match.group(1), match.group(2) or "", is_percent=False), match.group())


def digits_of(text: str) -> int:
    """Count the digits of the first number of a printed text, from the first that is not zero."""
    match = _NUMBER.search(re.sub(r"(?<=[0-9])[,\u202f ](?=[0-9]{3})", "", text))
    return len(re.sub(r"[^0-9]", "", match.group(1)).lstrip("0")) if match else 0


def rounded_forms(text: str) -> Iterator[str]:
    """Yield a plain number rounded to fewer digits, at least three, with a fraction."""
    number = _decimal(text)
    if number is None or not number:
        return
    for digits in range(LEAST_DIGITS, _MOST_DIGITS + 1):
        exponent = number.adjusted() - digits + 1
        if exponent < 0:
            rounded = _plain(number.quantize(Decimal(1).scaleb(exponent), ROUND_HALF_UP))
            if "." in rounded and digits_of(rounded) >= LEAST_DIGITS:
                yield rounded


def _forms(number: str, power: str, *, is_percent: bool) -> Iterator[str]:
    exponent = re.sub(r".*?([-+−]?[0-9]+)[)}]?$", r"\1", power.replace("−", "-"), flags=re.DOTALL)
    value = _decimal(f"{number}e{exponent}" if power else number)
    if value is None:
        yield number
        return
    yield from _with_six_digits(value)
    if is_percent or ("." in number and digits_of(number) >= _LEAST_SCALED_DIGITS):
        yield from _with_six_digits(value.scaleb(-2))
        if not is_percent:
            yield from _with_six_digits(value.scaleb(2))


def _with_six_digits(number: Decimal) -> Iterator[str]:
    yield _plain(number)
    if len(number.as_tuple().digits) > _MOST_DIGITS:
        yield _plain(Decimal(f"{number:.{_MOST_DIGITS}g}"))


def _decimal(text: str) -> Decimal | None:
    try:
        number = Decimal(text) if len(text) <= _LONGEST else None
    except InvalidOperation:
        return None
    return number if number is not None and abs(number.adjusted()) <= _LARGEST_EXPONENT else None


def _plain(number: Decimal) -> str:
    """Return a number without an exponent and without zeros at the end of its fraction."""
    text = f"{number:f}"
    return re.sub(r"(\.[0-9]+?)0+$", r"\1", text) if "." in text else text
