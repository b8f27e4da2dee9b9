"""Coarse numbers in words are compared like any other; what only sounds like one is none."""

from __future__ import annotations

import json
import time

import pytest

from assay.rules.cited import cited_numbers
from assay.rules.conclusion import grade_conclusion
from assay.rules.plain_text import plain_text
from assay.tasks import Conclusion

STATEMENT = Conclusion.model_validate(
    {"claim": [{"id": "outcome", "question": "Which wins?", "kind": "statement", "answer": "A wins."}]}
)
RESULTS = {"error": {"a": 0.0312, "b": 0.0934}, "steps": {"a": 41, "b": 381}, "gap": 2.4e-8}
"""The error falls by two thirds, from B to A; B needs 9.3 times the steps of A."""


def status(text: str) -> str:
    handed_in = json.dumps({"summary": "", "claims": {"outcome": text}}).encode()
    return grade_conclusion(STATEMENT, handed_in, RESULTS)[-1].status


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
        "Half of the runs use A.",
        "One third of the data was held out, and ¾ of the rest were drawn.",
        "The third run and a third method agree; by a third party it was seen too.",
        "In a quarter of the cases A wins.",
        "More than two thirds of the seeds agree, and on the other half they do not.",
        "The error fell by more than half.",
        "With ten-fold cross-validation, and fivefold splits, A wins.",
        "The advantages of A are twofold.",
        "A learning rate of 10⁻³ and a tolerance of 1e-6 were used.",
        "The difference is significant (p < 10⁻⁹), p = 3e-8.",
        "We drew 10⁵ samples, with 2^10 bins.",
        "A third better method may exist.",
    ],
)
def test_an_honest_text_in_words_is_faithful(text: str) -> None:
    assert status(text) == "met", cited_numbers(text)


def test_a_coarse_number_that_any_results_have_decides_nothing() -> None:
    handed_in = json.dumps({"claims": {"outcome": "The error fell by two thirds."}}).encode()
    crowd = {f"run {run}": (run * 37 % 101) / 100 for run in range(1, 45)}
    assert grade_conclusion(STATEMENT, handed_in, crowd)[-1].status == "met"


@pytest.mark.parametrize("part", ["10⁻", "¾", "two thirds ", "a hundredfold ", "⁻⁷", "by half ", "1×10^"])
def test_a_long_text_of_number_words_is_read_in_time(part: str) -> None:
    began = time.process_time()
    cited_numbers(plain_text(part * (190_000 // len(part))))
    assert time.process_time() - began < 10
