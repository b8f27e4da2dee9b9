"""Coarse numbers in words are compared like any other once a reader has placed them."""

from __future__ import annotations

import asyncio
import json

import pytest

from assay.grading import Judge
from assay.grading.reading.hidden_numbers import find_hidden
from assay.rules.cited import cited_numbers
from assay.rules.conclusion import grade_conclusion
from assay.tasks import Conclusion
from tests.rules.placing import EntryReader

STATEMENT = Conclusion.model_validate(
    {"claim": [{"id": "outcome", "question": "Which wins?", "kind": "statement", "answer": "A wins."}]}
)
RESULTS: dict[str, object] = {
    "error": {"a": 0.0312, "b": 0.0934},
    "steps": {"a": 41, "b": 381},
    "gap": 2.4e-8,
}
"""The error falls by two thirds, from B to A; B needs 9.3 times the steps of A."""
ERRORS, STEPS, GAP = ["error.a", "error.b"], ["steps.a", "steps.b"], ["gap"]


def placed(text: str, paths: list[str]) -> str:
    """What is decided where a reader finds these entries for every number of the text."""
    cited = cited_numbers(text)
    statuses = set()
    for kind in ("value",) if len(paths) == 1 else ("difference", "ratio", "change"):
        reader = EntryReader(dict.fromkeys(range(1, len(cited) + 1), paths), kind=kind)
        found = asyncio.run(find_hidden(Judge("file/reader", reader=reader), text, cited, RESULTS))
        assert found is not None
        statuses.add(found.status)
    return "met" if "met" in statuses else "/".join(sorted(statuses))


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("A cut the error fivefold.", ERRORS),
        ("A cut the error five-fold.", ERRORS),
        ("The error fell a hundredfold at best.", ERRORS),
        ("A cut the error by ¼.", ERRORS),
        ("A cut the error by a quarter.", ERRORS),
        ("The error fell by four fifths.", ERRORS),
        ("The error is one sixth lower.", ERRORS),
        ("A has three quarters of the error of B.", ERRORS),
        ("The error fell by five orders of magnitude.", ERRORS),
        ("The error is 10⁻⁵.", ERRORS[:1]),
        ("The error falls to $10^{-5}$.", ERRORS[:1]),
        ("The gap is 5×10⁻⁸.", GAP),
        ("The gap is $5.1 \\times 10^{-8}$.", GAP),
        ("The gap is 4e-8.", GAP),
        ("The error of B is more than five times the error of A.", ERRORS),
        ("A has less than a fifth of the error of B.", ERRORS),
        ("The error quadrupled.", ERRORS),
        ("The gap is above 10⁻⁷.", GAP),
        ("A is right in two of five steps.", ERRORS[:1]),
    ],
)
def test_a_number_in_words_that_its_entries_contradict_is_unmet(text: str, paths: list[str]) -> None:
    assert placed(text, paths) == "unmet", cited_numbers(text)


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("A cut the error threefold.", ERRORS),
        ("A reduced the steps ninefold.", STEPS),
        ("A reduced the error by two thirds.", ERRORS),
        ("A reduced the error by about two-thirds.", ERRORS),
        ("A reduced the error by ⅔.", ERRORS),
        ("The error of A is two thirds lower.", ERRORS),
        ("A has a third of the error of B.", ERRORS),
        ("The steps fell by an order of magnitude.", STEPS),
        ("The gap is 2.4×10⁻⁸.", GAP),
        ("The gap is $2.4 \\times 10^{-8}$, or 2e-8.", GAP),
        ("The gap is of the order of 10⁻⁸.", GAP),
        ("The gap is below 10⁻⁷.", GAP),
        ("The error fell by more than half.", ERRORS),
        ("The error of B is more than twice the error of A.", ERRORS),
        ("A has less than half the error of B.", ERRORS),
        ("The error tripled.", ERRORS),
    ],
)
def test_a_number_in_words_that_fits_its_entries_is_met(text: str, paths: list[str]) -> None:
    assert placed(text, paths) == "met", cited_numbers(text)


@pytest.mark.parametrize(
    "text",
    [
        "Half of the runs use A.",
        "One third of the data was held out, and ¾ of the rest were drawn.",
        "In a quarter of the cases A wins.",
        "With ten-fold cross-validation, and fivefold splits, A wins.",
        "A learning rate of 10⁻³ was used.",
        "The difference is significant (p = 3e-8).",
        "We drew 10⁵ samples, with 2^10 bins.",
        "The steps doubled.",
        "A wins in a sixth of the tasks.",
        "A wins in three of five tasks.",
        "The error of A is twice as high.",
        "The advantages of A are twofold.",
    ],
)
def test_a_number_in_words_always_needs_a_reader(text: str) -> None:
    handed_in = json.dumps({"summary": "", "claims": {"outcome": text}}).encode()
    results = {"error": 0.5, "steps": 2, "share": 0.6, "count": 0.25}
    assert grade_conclusion(STATEMENT, handed_in, results)[-1].status == "unknown", cited_numbers(text)


def test_ordinals_are_no_numbers() -> None:
    assert cited_numbers("The third run and the fifth method agree, seen by third parties.") == []


@pytest.mark.parametrize("text", ["B has a 2.99-fold error.", "The error is 2.99 fold that of A."])
def test_a_decimal_ratio_is_read_whole(text: str) -> None:
    (cited,) = cited_numbers(text)
    assert cited.values[0] == pytest.approx(2.99)
    assert placed(text, ERRORS) == "met"


@pytest.mark.parametrize(
    "text", ["B has a 27.99-fold error.", "B has a 1.03-fold error.", "B has a 2.9-fold error."]
)
def test_another_decimal_ratio_is_unmet(text: str) -> None:
    """The digits behind the point are no number of their own: 1.03 is no 3."""
    assert placed(text, ERRORS) == "unmet"


def test_thousands_are_one_ratio() -> None:
    assert [number.values[0] for number in cited_numbers("a 1,200-fold gain")] == [1200]
