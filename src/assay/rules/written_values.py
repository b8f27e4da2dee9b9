"""Values as people write them: numbers with units and shares, lists and ranges in a sentence."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from assay.rules.plain_text import spelt_number

Likeness = Literal["same", "different", "unclear"]

UNITS: dict[str, tuple[str, float]] = {
    **dict.fromkeys(("ns", "nanosecond"), ("s", 1e-9)),
    **dict.fromkeys(("us", "µs", "microsecond"), ("s", 1e-6)),
    **dict.fromkeys(("ms", "millisecond"), ("s", 1e-3)),
    **dict.fromkeys(("s", "sec", "second"), ("s", 1.0)),
    **dict.fromkeys(("min", "minute"), ("s", 60.0)),
    **dict.fromkeys(("h", "hr", "hour"), ("s", 3600.0)),
    **dict.fromkeys(("d", "day"), ("s", 86400.0)),
    **dict.fromkeys(("kb",), ("byte", 1e3)),
    **dict.fromkeys(("mb",), ("byte", 1e6)),
    **dict.fromkeys(("gb",), ("byte", 1e9)),
    "byte": ("byte", 1.0),
}
"""Unit → what it measures, and how many of the base unit it is."""
COUNTS = {"k": 1e3, "m": 1e6, "b": 1e9, "thousand": 1e3, "million": 1e6, "billion": 1e9}

_NUMBER = r"[-+−]?(?:0,\d+|(?:[1-9]\d{0,2}(?:,\d{3})+|\d+)(?:\.\d*)?|\.\d+)(?:[eE][-+−]?\d+)?"
"""A comma after a single zero is a decimal one, as in German; others separate thousands."""
_DECIMAL_COMMA = re.compile(r"^([-+−]?0),")
_QUANTITY = re.compile(
    rf"(?P<number>{_NUMBER}) ?"
    r"(?:(?:[x×*·]|\\times) ?10 ?(?:\^|\*\*) ?[{(]?(?P<power>[-+−]?\d{1,3})[})]?)? ?"
    r"(?P<share>%|percent\b)?[ -]?(?P<unit>[A-Za-zµ]+(?:[ _-][A-Za-z]+){0,3})?\.?$"
)
_RANGE = re.compile(
    r"(?:from )?(-?\d+) ?(?:\.\.\.?|–|-|to|through) ?(-?\d+)"
    r"(?:,? ?(?:in|by|with|\()? ?steps?(?: of)? ?(\d+)\)?)?$",
    re.IGNORECASE,
)
_NO_UNITS = {
    *("or", "and", "nor", "not", "no", "none", "never", "but", "either", "maybe", "perhaps", "possibly"),
    *("unless", "if", "to", "than", "plus", "minus", "zero", "one", "two", "three", "four", "five", "six"),
    *("seven", "eight", "nine", "ten", "eleven", "twelve", "fifteen", "twenty", "thirty", "fifty", "hundred"),
}
"""Words behind a number that take it back or add another: "5 or ten" is not 5."""
_DROPPED = re.compile(r"(?:(?![≠¬?!∉≢\u0335-\u0338\u20d2\u20d3\u20e5\u20eb])[\W_])+")
"""What a name may have more or less of: blanks and punctuation; signs that deny, doubt or strike out stay."""
_REMARK = re.compile(r"^(?P<value>[^()]*[^()\s])\s*\((?P<remark>[A-Za-z][^()]*)\)$")
_TAKES_BACK = {
    *("or", "not", "no", "none", "never", "but", "either", "maybe", "perhaps", "possibly", "unless", "if"),
    *("instead", "actually", "rather", "except", "really", "sometimes", "also", "otherwise"),
}
"""Words in a remark that take its value back or add another."""
LONGEST_RANGE = 1_000
LONGEST_VALUE = 2_000
"""Characters of a value that are looked at: an agent writes it, and must not make the search slow."""


@dataclass(frozen=True)
class WrittenQuantity:
    """A number, with what it counts where that is said."""

    number: float
    unit: str | None = None


def read_quantity(value: object) -> WrittenQuantity | None:
    """A number however it is written: 0.001, "1e-3", "50%", "10 epochs", "5-fold"; None where it is none."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    if not isinstance(value, str):
        try:
            return WrittenQuantity(float(value))
        except OverflowError:
            return None
    match = _QUANTITY.match(" ".join(value.split())) if len(value) <= LONGEST_VALUE else None
    if match is None:
        return None
    try:
        plain = _DECIMAL_COMMA.sub(r"\1.", match["number"])
        number = float(plain.replace(",", "").replace("−", "-"))
        number *= 10.0 ** int((match["power"] or "0").replace("−", "-"))
    except (ValueError, OverflowError):
        return None
    number = number / 100 if match["share"] else number
    unit = (match["unit"] or "").lower()
    if _NO_UNITS & set(re.split(r"[ _-]", unit)):
        return None
    if unit in COUNTS:
        return WrittenQuantity(number * COUNTS[unit])
    return WrittenQuantity(number, _singular(unit) or None)


def as_number(value: object) -> float | None:
    """The number alone; None where it is none."""
    quantity = read_quantity(value)
    return None if quantity is None else quantity.number


def same_quantity(expected: WrittenQuantity, stated: WrittenQuantity) -> bool:
    """Whether two are the same amount: 3 s is 3000 ms, and a bare 10 is 10 epochs."""
    left, right = UNITS.get(expected.unit or ""), UNITS.get(stated.unit or "")
    if left and right and left[0] == right[0]:
        return _close(expected.number * left[1], stated.number * right[1])
    if expected.unit and stated.unit and expected.unit != stated.unit:
        return False
    return _close(expected.number, stated.number)


def compare_values(expected: Sequence[object], stated: Sequence[object]) -> Likeness:
    """Whether two lists hold the same values in any order; unclear where it hangs on words."""
    left, right = spread(expected), spread(stated)
    if same_values(left, right) or same_values(expected, stated):
        return "same"
    numbers = all(_quantity(value) is not None for value in (*left, *right))
    some_missing = not right or _contains(right, left) or _contains(left, right)
    return "different" if numbers or some_missing else "unclear"


def same_values(expected: Iterable[object], stated: Iterable[object]) -> bool:
    """Whether two lists hold the same values in any order; numbers by value, words by their letters."""
    remaining = list(stated)
    return _take_away(expected, remaining) and not remaining


def _contains(all_of: Iterable[object], in_these: Iterable[object]) -> bool:
    return _take_away(in_these, list(all_of))


def _take_away(values: Iterable[object], remaining: list[object]) -> bool:
    for value in values:
        match = next((place for place, candidate in enumerate(remaining) if _same(value, candidate)), None)
        if match is None:
            return False
        del remaining[match]
    return True


def _same(expected: object, stated: object) -> bool:
    left, right = _quantity(expected), _quantity(stated)
    if left is not None and right is not None:
        return same_quantity(left, right)
    return normal(text_of(expected)) == normal(text_of(stated))


def _quantity(value: object) -> WrittenQuantity | None:
    """A number in digits or in words."""
    spelt = spelt_number(value) if isinstance(value, str) and len(value) <= LONGEST_VALUE else None
    return read_quantity(value if spelt is None else spelt)


def spread(values: Sequence[object]) -> list[object]:
    """The values one by one, where a list or a range was written as one text or table."""
    if len(values) != 1:
        parts = [part for value in values for part in (value if isinstance(value, list) else [value])]
        return [without_remark(part) for part in parts]
    value = without_remark(values[0])
    if isinstance(value, dict):
        return _spread_table(value)
    if isinstance(value, list):
        return spread(value) if len(value) != 1 else value
    if not isinstance(value, str):
        return [value]
    text = value[:LONGEST_VALUE].strip().strip("[](){}")
    span = _RANGE.match(" ".join(text.split()))
    if span:
        first, last, step = int(span[1]), int(span[2]), int(span[3] or 1)
        if step > 0 and first < last and (last - first) // step < LONGEST_RANGE:
            return list(range(first, last + 1, step))
    if read_quantity(text) is not None:
        return [text]
    return [
        part.strip(" '\"`") for part in re.split(r"[,;/\n]|\s(?:and|or|vs\.?|versus)\s", text) if part.strip()
    ]


def _spread_table(table: dict[str, object]) -> list[object]:
    """The values of a table: those under "values", or its keys where each only has a description."""
    inner = [table[name] for name in ("value", "values", "levels") if name in table]
    if inner:
        if any(values != inner[0] for values in inner):
            return [table]  # two answers are none
        return spread(inner[0] if isinstance(inner[0], list) else [inner[0]])
    described = all(isinstance(values, dict | str) for values in table.values())
    return list(table) if len(table) > 1 and described else [table]


def without_remark(value: object) -> object:
    """A value without the remark in brackets behind it: "0.05 (falls to 0)" is 0.05, "5 (or 10)" is not 5."""
    match = _REMARK.match(value.strip()) if isinstance(value, str) and len(value) <= LONGEST_VALUE else None
    if match is None or _TAKES_BACK & set(re.findall(r"[a-z]+", match["remark"].casefold())):
        return value
    return match["value"]


def normal(name: str) -> str:
    """A name without case, spacing or punctuation; what denies or doubts it stays."""
    return _DROPPED.sub("", name.casefold().rstrip("! "))


def text_of(value: object) -> str:
    """A value as one line; what is nested too deeply is only named."""
    if isinstance(value, str):
        return value
    try:
        return json.dumps(value, sort_keys=True, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError):
        return str(type(value))


def _close(left: float, right: float) -> bool:
    return math.isclose(left, right, rel_tol=1e-9, abs_tol=1e-12)


def _singular(unit: str) -> str:
    return unit[:-1] if len(unit) > 3 and unit.endswith("s") else unit
