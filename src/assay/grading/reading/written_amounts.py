"""Amounts in the values of a design: whether a text that a reader names states an accepted amount.

The unit of the truth decides what a number must count. Where the truth is a bare number, the question to the
reader names what is counted. Where it has a unit ("10 epochs"), a bare number counts too, and "10 steps" or
"10 hours" do not. What it does not cover: a word for the same unit that no accepted spelling has is refused,
such as "3 runs" for "3 seeds".
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from assay.rules.plain_text import with_first_in_digits, without_powers
from assay.rules.value_words import singular
from assay.rules.written_values import COUNTS, UNITS, read_quantity, singular_unit

_AMOUNT = re.compile(
    r"(?<![\w.,^])(?P<number>[-+−]?(?:\d[\d.,]*|\.\d+)(?:[eE][-+−]?\d+)?)"
    r"(?P<share> ?(?:%|per ?cent\b|pct\b))?(?P<words>(?:[ -]?[^\W\d_]\w*){0,6})"
)
_WORD = re.compile(r"[^\W_]+")
LEAST_NOUN = 4
"""Letters below which a word of a question names nothing that is counted ("of", "the")."""
_SHORT_SCALES = {"k": 1, "m": 2}
"""Scales that count in steps of 1,000, or of 1,024: a context of 4K has 4,096 tokens."""


@dataclass(frozen=True)
class _Amount:
    """A number with the words behind it."""

    numbers: tuple[float, ...]
    """What is written; two numbers where a scale has two meanings."""
    measure: str = ""
    """What its unit measures, such as `s` for all times; nothing for a count."""
    factor: float = 1.0
    """How many of the base unit its unit is."""
    nouns: frozenset[str] = frozenset()
    """The words that may say what is counted."""

    @property
    def is_bare(self) -> bool:
        return not self.measure and not self.nouns

    def is_same_number(self, accepted: _Amount, factor: float = 1.0) -> bool:
        return any(
            math.isclose(factor * number, accepted_number, rel_tol=1e-9)
            for number in self.numbers
            for accepted_number in accepted.numbers
        )


def has_amount(text: str) -> bool:
    """Whether a text states a number anywhere."""
    return next(_amounts(text), None) is not None


def accepted_amount(accepted: str) -> bool:
    """Whether an accepted spelling is an amount and nothing else: "10", "five", "10 epochs"."""
    return read_quantity(with_first_in_digits(accepted.strip())) is not None


def states_other_amount(accepted: Sequence[str], counted: Collection[str], text: str) -> bool:
    """Whether a text has another amount of the same kind: a bare number, or one of the counted things."""
    truths = [truth for spelling in accepted if (truth := next(_amounts(spelling), None)) is not None]
    nouns = {singular(word) for word in counted if len(word) >= LEAST_NOUN}.union(
        *(truth.nouns for truth in truths)
    )
    others = [amount for amount in _amounts(text) if not any(_fits(truth, amount) for truth in truths)]
    return any(
        amount.is_bare or amount.measure in {truth.measure for truth in truths if truth.measure}
        for amount in others
    ) or any(amount.nouns & nouns for amount in others)


def states_amount(accepted: str, stated: str) -> bool:
    """Whether a text states the amount of an accepted spelling, in any writing."""
    truth = next(_amounts(accepted), None)
    return truth is not None and any(_fits(truth, amount) for amount in _amounts(stated))


def _fits(truth: _Amount, amount: _Amount) -> bool:
    if truth.is_bare or amount.is_bare:
        return amount.is_same_number(truth)
    if truth.measure != amount.measure:
        return False
    return amount.is_same_number(truth, amount.factor / truth.factor) and truth.nouns <= amount.nouns


def _amounts(text: str) -> Iterator[_Amount]:
    plain = with_first_in_digits(without_powers(" ".join(text.split())))
    for match in _AMOUNT.finditer(plain):
        words = _WORD.findall(match["words"].lower())
        quantity = read_quantity(match["number"].rstrip(".,") + (match["share"] or ""))
        if quantity is not None:
            yield _with_words(quantity.number, words)


def _with_words(number: float, words: list[str]) -> _Amount:
    """A number with its scale and unit: "4K tokens" are 4,000 or 4,096, "3 ms" 0.003 s."""
    numbers: tuple[float, ...] = (number,)
    if words and words[0] in COUNTS:
        scale = words.pop(0)
        steps = _SHORT_SCALES.get(scale, 0) if number.is_integer() else 0
        numbers = (number * COUNTS[scale], *([number * 1024.0**steps] if steps else []))
    measure, factor = UNITS.get(singular_unit(words[0]) if words else "", ("", 1.0))
    return _Amount(numbers, measure, factor, frozenset() if measure else frozenset(map(singular, words)))
