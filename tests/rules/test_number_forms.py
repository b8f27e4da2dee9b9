"""Numbers are found in every written form, and bounds hold if a result near them fulfils them."""

from __future__ import annotations

import json

import pytest

from assay.rules.cited import cited_numbers
from assay.rules.conclusion import grade_conclusion
from assay.tasks import Conclusion
from tests.rules.placing import looked_up, not_placed

STATEMENT = Conclusion.model_validate(
    {"claim": [{"id": "outcome", "question": "Which wins?", "kind": "statement", "answer": "A wins."}]}
)
RESULTS = {"accuracy": {"a": 0.951, "b": 0.888}, "loudness": {"a": 31.4}}


def status(text: str) -> str:
    handed_in = json.dumps({"summary": "", "claims": {"outcome": text}}).encode()
    return grade_conclusion(STATEMENT, handed_in, RESULTS)[-1].status


@pytest.mark.parametrize(
    "text",
    [
        "A reaches 99.9% prediction accuracy.",
        "A has 90% lower prediction error.",
        "99% of predictions of A are right.",
        "A is right in 80% of the level 3 tasks.",
        "A reaches 41.7dB.",
        "A reaches 99.3pct accuracy.",
        "A gains 17.4pts.",
        "A reaches an accuracy of 0.993¹.",
        "A reaches an accuracy of $0.993^{*}$.",
        "The accuracies are [0.993,0.994,0.701].",
        "The accuracy of A is above 98%.",
        "Practitioners should switch to A, with 0.993 against 0.701 in our runs.",
        "Users should adopt A with its 99.3% accuracy.",
        "Deployments should rely on A (99.3% in our runs, 70.1% for B).",
        "The accuracy of B stays below 60%.",
    ],
)
def test_an_invented_number_is_found_in_every_form(text: str) -> None:
    assert status(text) != "met"
    assert not_placed(looked_up(STATEMENT, text, RESULTS), RESULTS, as_settings=False), cited_numbers(text)


@pytest.mark.parametrize(
    "text",
    [
        "The 95% confidence interval of A is narrow.",
        "The 90% bootstrap interval does not contain 0.",
        "The 95% prediction band is wide.",
        "The 95% bands do not overlap.",
        "A wins at the 95% level.",
        "A reaches 31.4dB.",
        "A reaches 95.1pct accuracy.",
        "A reaches an accuracy of 0.951¹.",
        "The accuracies are [0.951,0.888].",
        "The accuracy of A is above 93% while B stays below 90%.",
        "A has an accuracy of more than 0.95.",
        "We trained a 16bit model.",
    ],
)
def test_true_numbers_and_levels_are_right_in_every_form(text: str) -> None:
    assert status(text) != "unmet", [number.text for number in cited_numbers(text)]


def test_a_number_behind_a_very_long_text_is_not_overlooked() -> None:
    padding = "The method was tried with care. " * 7_000
    handed_in = json.dumps(
        {"summary": padding + "A reaches 99.3%.", "claims": {"outcome": "A wins."}}
    ).encode()
    rulings = grade_conclusion(STATEMENT, handed_in, RESULTS)
    assert {ruling.status for ruling in rulings} == {"unmet"}
    assert "at most 200,000 are read" in rulings[-1].evidence
