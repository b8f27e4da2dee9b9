"""Comparisons that a sentence makes of two linked numbers: their order, and a third number made of them.

"The error falls from 0.412 to 0.305, a reduction of 26%" states an order and a relative change. The third
number is found by arithmetic on the two printed ones; the runs then confirm or refute it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import NamedTuple

from assay.curation.matching import NumberLink, Relation, StatedComparison
from assay.curation.paper import CellNumber, PaperSentence, PaperText
from assay.curation.sentence_links import STATEMENTS

_COMPARES = re.compile(
    r"\b(?:than|versus|vs|compared|against|from\b.*\bto|while|whereas|but|higher|lower|larger|smaller|greater"
    r"|above|below|exceeds?|outperforms?|beats?|reduc\w+|increas\w+|decreas\w+|improv\w+|falls?|rises?|drops?"
    r"|grows?)\b|→|Δ",
    re.IGNORECASE,
)


class _Pair(NamedTuple):
    first: NumberLink
    second: NumberLink

    def values(self) -> Iterator[tuple[float, float]]:
        """Both numbers in each run, in the unit of the paper."""
        for first, second in zip(self.first.number.values, self.second.number.values, strict=False):
            yield first * self.first.scale, second * self.second.scale


def stated_comparisons(document: str, text: PaperText, links: Sequence[NumberLink]) -> list[StatedComparison]:
    """Return the comparisons of the sentences that compare and have two linked numbers."""
    comparisons: list[StatedComparison] = []
    for column, sentence in enumerate(text.sentences):
        linked = [
            link
            for link in links
            if (link.document, link.table, link.column) == (document, STATEMENTS, column)
        ]
        if len(linked) < 2 or not _COMPARES.search(sentence.text):
            continue
        free = _unlinked(sentence, linked)
        for first, second in combinations(linked, 2):
            pair = _Pair(first, second)
            comparisons.append(_order(document, sentence, pair))
            comparisons += _derived(document, sentence, pair, free)
    return comparisons


def _unlinked(sentence: PaperSentence, linked: Sequence[NumberLink]) -> list[CellNumber]:
    printed = [link.printed for link in linked]
    return [stated.number for stated in sentence.numbers if stated.number not in printed]


def _order(document: str, sentence: PaperSentence, pair: _Pair) -> StatedComparison:
    first, second = pair.first.printed, pair.second.printed
    measured = [upper - lower for upper, lower in pair.values()]
    step = max(first.unit, second.unit)
    if first.value == second.value:
        stated, is_confirmed = "same", all(abs(value) <= step for value in measured)
    else:
        stated = "higher" if first.value > second.value else "lower"
        sign = 1 if stated == "higher" else -1
        is_confirmed = all(sign * value > 0 for value in measured)
    return _comparison(document, sentence, pair, "order", stated, measured, is_confirmed)


def _derived(
    document: str, sentence: PaperSentence, pair: _Pair, numbers: Sequence[CellNumber]
) -> Iterator[StatedComparison]:
    """Numbers of two digits and more that the two printed numbers give, by one of three rules."""
    first, second = pair.first.printed.value, pair.second.printed.value
    for number in numbers:
        if number.digits < 2:
            continue
        for relation in _relations(number):
            expected = _result(relation, first, second)
            if expected is None or abs(abs(expected) - abs(number.value)) > 0.5001 * number.unit:
                continue
            measured = [
                value for values in pair.values() if (value := _result(relation, *values)) is not None
            ]
            # The sentence may have made its number of the printed ones, or of more digits.
            is_confirmed = bool(measured) and all(
                abs(abs(value) - abs(number.value)) <= number.unit for value in measured
            )
            yield _comparison(document, sentence, pair, relation, number.text, measured, is_confirmed)
            break


def _relations(number: CellNumber) -> tuple[Relation, ...]:
    return ("change", "difference") if number.percent else ("difference", "ratio")


def _result(relation: Relation, first: float, second: float) -> float | None:
    if relation == "difference":
        return second - first
    if not first or not second:
        return None
    if relation == "ratio":
        return max(first / second, second / first, key=abs)
    return 100 * (second - first) / abs(first)


def _comparison(
    document: str,
    sentence: PaperSentence,
    pair: _Pair,
    relation: Relation,
    stated: str,
    measured: list[float],
    is_confirmed: bool,
) -> StatedComparison:
    return StatedComparison(
        document=document,
        place=sentence.place,
        relation=relation,
        first=pair.first.printed.text,
        second=pair.second.printed.text,
        stated=stated,
        measured=[float(f"{value:.6g}") for value in measured],
        is_confirmed=is_confirmed,
    )
