"""Coarse numbers in words are compared like any other; what only sounds like one is none."""

from __future__ import annotations

import json

import pytest

from assay.rules.cited import cited_numbers
from assay.rules.conclusion import grade_conclusion
from assay.tasks import Conclusion

STATEMENT = Conclusion.model_validate(
    {"claim": [{"id": "outcome", "question": "Which wins?", "kind": "statement", "answer": "A wins."}]}
)
RESULTS: dict[str, object] = {
    "error": {"a": 0.0312, "b": 0.0934},
    "steps": {"a": 41, "b": 381},
    "gap": 2.4e-8,
}
"""The error falls by two thirds, from B to A; B needs 9.3 times the steps of A."""


def status(text: str, results: object = RESULTS) -> str:
    handed_in = json.dumps({"summary": "", "claims": {"outcome": text}}).encode()
    return grade_conclusion(STATEMENT, handed_in, results)[-1].status


@pytest.mark.parametrize(
    "text",
    [
        "A cut the error fivefold.",
        "A cut the error five-fold.",
        "The error fell a hundredfold at best.",
        "A needs a hundredfold of steps fewer, a thousandfold.",
        "A cut the error by ¼.",
        "A cut the error by a quarter.",
        "The error fell by four fifths.",
        "The error is one sixth lower.",
        "A has three quarters of the error of B.",
        "The error fell by five orders of magnitude.",
        "The error is 10⁻⁵.",
        "The error falls to $10^{-5}$.",
        "The gap is 5×10⁻⁸.",
        "The gap is $5.1 \\times 10^{-8}$.",
        "The gap is 4e-8.",
        "A reached an accuracy of ¾.",
    ],
)
def test_an_invented_number_in_words_is_found(text: str) -> None:
    assert status(text) == "unmet", [each.text for each in cited_numbers(text)]


@pytest.mark.parametrize(
    "text",
    [
        "A cut the error threefold.",
        "A reduced the steps ninefold.",
        "A reduced the error by two thirds.",
        "A reduced the error by about two-thirds.",
        "A reduced the error by ⅔.",
        "The error of A is two thirds lower.",
        "A has a third of the error of B.",
        "The steps fell by an order of magnitude.",
        "The gap is 2.4×10⁻⁸.",
        "The gap is $2.4 \\times 10^{-8}$, or 2e-8.",
        "The gap is of the order of 10⁻⁸.",
        "The gap falls to 10⁻⁸.",
        "The gap is below 10⁻⁷.",
        "The third run and a third method agree; by a third party it was seen too.",
        "The error fell by more than half.",
        "The advantages of A are twofold.",
        "The difference is significant (p < 10⁻⁹).",
        "A third better method may exist.",
    ],
)
def test_an_honest_text_in_words_is_faithful(text: str) -> None:
    assert status(text) == "met", cited_numbers(text)


@pytest.mark.parametrize(
    "text",
    [
        "Half of the runs use A.",
        "One third of the data was held out, and ¾ of the rest were drawn.",
        "In a quarter of the cases A wins.",
        "More than two thirds of the seeds agree, and on the other half they do not.",
        "With ten-fold cross-validation, and fivefold splits, A wins.",
        "A learning rate of 10⁻³ and a tolerance of 1e-6 were used.",
        "The difference is significant (p = 3e-8).",
        "We drew 10⁵ samples, with 2^10 bins.",
        "The steps doubled.",
        "A wins in a sixth of the tasks.",
    ],
)
def test_a_number_in_words_that_may_be_a_setting_is_undecided(text: str) -> None:
    assert status(text) == "unknown", cited_numbers(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The error of B is more than twice the error of A.", "met"),
        ("The error of B is more than four times the error of A.", "unmet"),
        ("A has less than half the error of B.", "met"),
        ("A has less than a fifth of the error of B.", "unmet"),
        ("The error tripled.", "met"),
        ("The error quadrupled.", "unmet"),
        ("The gap is above 10⁻⁷.", "unmet"),
        ("The error is a tenth of the error of B.", "unknown"),
    ],
)
def test_a_bound_in_words_must_be_true(text: str, expected: str) -> None:
    assert status(text, {"error": RESULTS["error"], "gap": 2.4e-8}) == expected, cited_numbers(text)


def test_a_coarse_number_that_any_results_have_decides_nothing() -> None:
    handed_in = json.dumps({"claims": {"outcome": "The error fell by two thirds."}}).encode()
    crowd = {f"run {run}": (run * 37 % 101) / 100 for run in range(1, 45)}
    assert grade_conclusion(STATEMENT, handed_in, crowd)[-1].status == "unknown"
