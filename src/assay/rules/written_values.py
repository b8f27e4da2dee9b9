"""Values as people write them: numbers with units and shares, lists and ranges in a sentence."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from assay.rules.plain_text import with_first_in_digits, without_powers
from assay.rules.value_remarks import (
    LEAVING_OUT,
    RIVAL_NAMES,
    note_takes_back_number,
    says_not_done,
    takes_back_level,
    takes_back_number,
)
from assay.rules.value_words import NO_WORDING, Wording, words_in, words_of

Likeness = Literal["same", "different", "unclear"]

UNITS: dict[str, tuple[str, float]] = {
    **dict.fromkeys(("fs", "femtosecond"), ("s", 1e-15)),
    **dict.fromkeys(("ps", "picosecond"), ("s", 1e-12)),
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
    **dict.fromkeys(("tb",), ("byte", 1e12)),
    **{f"{step}ib": ("byte", 1024.0**power) for power, step in enumerate("kmgt", 1)},
    "byte": ("byte", 1.0),
}
"""Unit → what it measures, and how many of the base unit it is."""
COUNTS = {"k": 1e3, "m": 1e6, "b": 1e9, "thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12}
_SCALES = words_in("""
    permille mille permil thousandths hundredths tenths thousandth hundredth tenth basis bps bp dozen dozens
    hundreds thousands millions billions trillions magnitude
""")
"""Words behind a number that change its size: "0.232 thousandths" is not 0.232."""

_NUMBER = r"[-+−]?(?:0,\d+|(?:[1-9]\d{0,2}(?:,\d{3})+|\d+)(?:\.\d*)?|\.\d+)(?:[eE][-+−]?\d+)?"
"""A comma after a single zero is a decimal one, as in German; others separate thousands."""
_DECIMAL_COMMA = re.compile(r"^([-+−]?0),")
_COMMA_IN_PERCENT = re.compile(r"^([-+−]?\d{1,3}),(\d{1,2}) ?(?=%|per ?cent\b|pct\b)")
_QUANTITY = re.compile(
    rf"(?P<number>{_NUMBER}) ?"
    r"(?P<share>%|per ?cents?\b|pct\b\.?|p\.p\.)?[ -]?(?P<unit>[A-Za-zµ]+(?:[ _-][A-Za-z]+){0,3})?\.?$"
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
_UNEQUAL = re.compile(r"=\s*/\s*=|/=|!=|=!=|<>")
_DROPPED = re.compile(
    r"(?:[✅✓✔☑]|(?![<>≤≥≮≯≠¬?!∉≢‽⸘\u0335-\u0338\u20d0-\u20ff]|~~|[\u2600-\u27bf\U0001f000-\U0001faff])[\W_])+"
)
"""What a name may have more or less of: blanks and punctuation; signs that deny, doubt or compare stay."""
_BRACKETED = re.compile(r"^(?P<value>[^()]*[^()\s])\s*\((?P<remark>[^()]+)\)$")
_SYMBOL = re.compile(r"^[^\W\d_]\s?=\s?(?=[-+−.\d])")
"""A symbol before a number: the p of "p = 0.12"."""
_IN_WORDS = re.compile(
    r"(?:(?P<before>(?:[^\W\d_][^\W\d]{0,40}[ -]){0,5}[^\W\d_][^\W\d]{0,40})(?: ?[=:] ?| ))?"
    rf"(?P<number>{_NUMBER} ?%?)"
    r"(?:(?:[ _-]|, ?)(?P<after>(?:[^\W\d]|[ .,'’`\"/\-–]){1,200}))?$"
)
"""A number with words on both sides."""
_WHOLE_NUMBER = re.compile(rf"(?<![\w.,]){_NUMBER}(?![\w.,]\d)")
_OPENING, _CLOSING = " \"'`*_([{“‘«=:±", " \"'`*_)]}”’».,;:!"
"""Signs around a number that change nothing."""
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
    if len(value) > LONGEST_VALUE:
        return None
    text = without_powers(" ".join(value.split()))
    match = _QUANTITY.match(_COMMA_IN_PERCENT.sub(r"\1.\2", text))
    if match is None:
        return None
    try:
        plain = _DECIMAL_COMMA.sub(r"\1.", match["number"])
        number = float(plain.replace(",", "").replace("−", "-"))
    except (ValueError, OverflowError):
        return None
    number = number / 100 if match["share"] else number
    unit = (match["unit"] or "").lower()
    if (_NO_UNITS | _SCALES) & set(re.split(r"[ _-]", unit)):
        return None
    if unit in COUNTS:
        return WrittenQuantity(number * COUNTS[unit])
    return WrittenQuantity(number, singular_unit(unit) or None)


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


def compare_values(
    expected: Sequence[object], stated: Sequence[object], wording: Wording = NO_WORDING
) -> Likeness:
    """Whether two lists hold the same values in any order; unclear where it hangs on words.

    `wording` is what the task says about the variable: its words may stand beside a value.
    """
    left, right = spread(expected), spread(stated, wording)
    if same_values(left, right, wording) or same_values(expected, stated, wording):
        return "same"
    if same_values(left, _without_own_words(right, left, wording), wording):
        return "same"
    some_missing = not right or _contains(right, left) or _contains(left, right)
    return "different" if some_missing or _other_numbers(left, right) else "unclear"


def same_values(expected: Iterable[object], stated: Iterable[object], wording: Wording = NO_WORDING) -> bool:
    """Whether two lists hold the same values in any order; numbers by value, words by their letters."""
    remaining = list(stated)
    return _take_away(expected, remaining, wording) and not remaining


def _contains(all_of: Iterable[object], in_these: Iterable[object]) -> bool:
    return _take_away(in_these, list(all_of), NO_WORDING)


def _take_away(values: Iterable[object], remaining: list[object], wording: Wording) -> bool:
    for value in values:
        matches = (place for place, candidate in enumerate(remaining) if _same(value, candidate, wording))
        match = next(matches, None)
        if match is None:
            return False
        del remaining[match]
    return True


def _same(expected: object, stated: object, wording: Wording) -> bool:
    left, right = read_any_quantity(expected), _stated_quantity(stated, wording)
    if left is not None and right is not None:
        return same_quantity(left, right)
    if left is not None and not words_of(text_of(expected)):
        return False
    return normal(text_of(expected)) == normal(text_of(stated))


def _other_numbers(expected: Sequence[object], stated: Sequence[object]) -> bool:
    """Whether all are numbers, and other ones, whatever is said beside them."""
    left = [read_any_quantity(value) for value in expected]
    right = [read_any_quantity(_before_remark(value)) for value in stated]
    if None in left or None in right:
        return False
    unmatched = [quantity for quantity in right if quantity is not None]
    for expected_quantity in left:
        match = next(
            (
                quantity
                for quantity in unmatched
                if expected_quantity is not None and same_quantity(expected_quantity, quantity)
            ),
            None,
        )
        if match is None:
            return True
        unmatched.remove(match)
    return bool(unmatched)


def read_any_quantity(value: object) -> WrittenQuantity | None:
    """A number in digits or in words: "five epochs" is "5 epochs"."""
    if isinstance(value, str) and len(value) <= LONGEST_VALUE:
        return read_quantity(with_first_in_digits(value.strip()))
    return read_quantity(value)


def _stated_quantity(value: object, wording: Wording) -> WrittenQuantity | None:
    """A number as a submission states it: every word beside it only names what it counts."""
    if not isinstance(value, str) or len(value) > LONGEST_VALUE:
        return read_any_quantity(value)
    plain = wording.without_counted(" ".join(value.split()).lstrip(_OPENING).rstrip(_CLOSING))
    plain = _SYMBOL.sub("", plain)
    quantity = read_any_quantity(plain)
    if quantity is not None:
        is_named = quantity.unit is None or quantity.unit in UNITS or wording.allows("", quantity.unit)
        return quantity if is_named else None
    match = _IN_WORDS.match(plain)
    if match is None or not wording.allows(match["before"] or "", match["after"] or ""):
        return None
    if _SCALES.intersection(words_of(match["after"] or "")):
        return None
    number = as_number(match["number"])
    return None if number is None else WrittenQuantity(number, match["after"])


def _without_own_words(
    stated: Sequence[object], expected: Sequence[object], wording: Wording
) -> list[object]:
    """Values without the variable's own name: "real labels" is the level "real" of the labels."""
    levels = {normal(text_of(value)) for value in expected}
    return [
        value if not isinstance(value, str) or normal(value) in levels else _without_own(value, wording)
        for value in stated
    ]


def _without_own(level: str, wording: Wording) -> str:
    words = level[:LONGEST_VALUE].split()
    if len(words) > 1 and wording.is_own(words[-1]):
        return " ".join(words[:-1])
    return " ".join(words[1:]) if len(words) > 1 and wording.is_own(words[0].rstrip(":=")) else level


def spread(values: Sequence[object], wording: Wording = NO_WORDING) -> list[object]:
    """The values one by one, where a list or a range was written as one text or table."""
    if len(values) != 1:
        parts = [part for value in values for part in (value if isinstance(value, list) else [value])]
        return [without_remark(part, wording) for part in parts]
    value = without_remark(values[0], wording)
    if isinstance(value, dict):
        return _spread_table(value, wording)
    if isinstance(value, list):
        return spread(value, wording) if len(value) != 1 else value
    return _spread_text(value, wording) if isinstance(value, str) else [value]


def _spread_text(value: str, wording: Wording) -> list[object]:
    text = value[:LONGEST_VALUE].strip().strip("[](){}")
    span = _RANGE.match(" ".join(text.split()))
    if span:
        first, last, step = int(span[1]), int(span[2]), int(span[3] or 1)
        if step > 0 and first < last and (last - first) // step < LONGEST_RANGE:
            return list(range(first, last + 1, step))
    if read_quantity(text) is not None or _stated_quantity(text, wording) is not None:
        return [text]
    return [
        part.strip(" '\"`")
        for part in re.split(r"[,;\n]|(?<!=)/(?!=)|\s(?:and|or|vs\.?|versus)\s", text)
        if part.strip()
    ]


def _spread_table(table: dict[str, object], wording: Wording) -> list[object]:
    """The values of a table: those under "values", or its keys where each only has a description."""
    answers = {name: table[name] for name in ("value", "values", "levels") if name in table}
    if answers:
        first, *later_answers = answers.values()
        values = spread(first if isinstance(first, list) else [first], wording)
        entries = {name: entry for name, entry in table.items() if name not in answers}
        if any(answer != first for answer in later_answers) or _has_rival(entries, values, wording):
            return [table]  # two answers are none
        return values
    described = all(
        isinstance(entry, dict | str)
        and not _has_false(entry)
        and not any(says_not_done(text, name) for text in _texts_in(entry))
        for name, entry in table.items()
    )
    return list(table) if len(table) > 1 and described else [table]


def _has_false(entry: object) -> bool:
    """Whether a description says of something that it is false: {"run": false}."""
    return isinstance(entry, dict) and any(value is False for value in entry.values())


def _has_rival(entries: dict[str, object], values: Sequence[object], wording: Wording) -> bool:
    """Whether an entry beside the values is a second answer, or takes them back."""
    levels = {normal(text_of(value)) for value in values}
    numbers = {quantity.number for value in values if (quantity := read_any_quantity(value)) is not None}
    for name, entry in entries.items():
        is_level = normal(name) in levels
        if not is_level and RIVAL_NAMES & set(words_of(name)):
            return True
        if LEAVING_OUT & set(words_of(name)) and levels.intersection(map(normal, _texts_in(entry))):
            return True
        texts = [text for text in _texts_in(entry) if is_level or normal(text) not in ("none", "na", "")]
        if any(says_not_done(text, name) for text in texts):
            return True
        if numbers and any(
            note_takes_back_number(_without_numbers(text, numbers, wording)) for text in texts
        ):
            return True
    return False


def _without_numbers(text: str, numbers: Collection[float], wording: Wording) -> str:
    """A text without some numbers, and without counts of other things."""
    plain = wording.without_counted(text)
    return _WHOLE_NUMBER.sub(
        lambda match: "" if as_number(match.group()) in numbers else match.group(), plain
    )


def _texts_in(entry: object) -> list[str]:
    """The texts and numbers somewhere in an entry."""
    texts, left = [], [entry]
    while left:
        inner = left.pop()
        if isinstance(inner, dict | list):
            left += inner.values() if isinstance(inner, dict) else inner
        elif not isinstance(inner, bool) and inner is not None:
            texts.append(str(inner)[:LONGEST_VALUE])
    return texts


def _is_same_again(value: str, remark: str, wording: Wording) -> bool:
    """Whether a remark in brackets only states the amount before it again: "0.12 (12% of the numbers)"."""
    amount = _stated_quantity(value, wording) or read_any_quantity(value)
    again = _stated_quantity(remark, wording) or read_any_quantity(remark)
    if amount is None or again is None or not same_quantity(amount, again):
        return False
    return not takes_back_number(_WHOLE_NUMBER.sub(" ", with_first_in_digits(without_powers(remark.strip()))))


def without_remark(value: object, wording: Wording = NO_WORDING) -> object:
    """A value without the remark in brackets behind it: "0.05 (falls to 0)" is 0.05, "5 (or 10)" is not 5."""
    if not isinstance(value, str) or len(value) > LONGEST_VALUE:
        return value
    if (match := _BRACKETED.match(value.strip())) is None:
        return value
    if _is_same_again(match["value"], match["remark"], wording):
        return match["value"]
    if not re.match(r"[A-Za-z]", match["remark"]):
        return value
    of_number = (
        _stated_quantity(match["value"], wording) is not None or read_any_quantity(match["value"]) is not None
    )
    remark = wording.without_counted(match["remark"])
    is_taken_back = takes_back_number(remark) if of_number else takes_back_level(remark)
    return value if is_taken_back else match["value"]


def _before_remark(value: object) -> object:
    """A value without any remark in brackets behind it."""
    return value.partition("(")[0].strip() or value if isinstance(value, str) else value


def normal(name: str) -> str:
    """A name without case, spacing or punctuation; what denies or doubts it stays."""
    return _DROPPED.sub("", _UNEQUAL.sub("≠", name).casefold().rstrip("! "))


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


def singular_unit(unit: str) -> str:
    return unit[:-1] if len(unit) > 3 and unit.endswith("s") else unit
