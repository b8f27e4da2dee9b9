"""A number is compared in its own scale: 0.55% is 0.0055, and 55 is a share only where the result is one."""

from __future__ import annotations

import json

import pytest

from assay.rules.cited import numbers_in
from assay.rules.conclusion import grade_conclusion
from assay.tasks import Conclusion
from tests.rules.placing import looked_up, not_placed

QUESTION = "Compare plain and adam over 25 repeats of 1000 rows, with a split of 80%."
STATEMENT = Conclusion.model_validate(
    {"claim": [{"id": "outcome", "question": QUESTION, "kind": "statement", "answer": "Adam wins."}]}
)
RESULTS: dict[str, object] = {
    "accuracy": {"plain": 0.7366, "adam": 0.8497},
    "loss": {"plain": 0.6605, "adam": 0.5484},
}
IN_PERCENT: dict[str, object] = {
    "error_percent": {"plain": 0.93, "adam": 0.55},
    "spread": {"plain": 12.3, "adam": 0.85},
    "loss": {"plain": 0.6605, "adam": 0.5484},
}


def status(text: str, results: object = RESULTS) -> str:
    handed_in = json.dumps({"summary": "", "claims": {"outcome": text}}).encode()
    return grade_conclusion(STATEMENT, handed_in, results, numbers_in([QUESTION]))[-1].status


@pytest.mark.parametrize(
    "text",
    [
        "The accuracy of Adam is 84.97%.",
        "Adam reaches an accuracy of 85.0.",
        "The loss of Adam is 0.548.",
    ],
)
def test_a_number_in_the_scale_of_its_result_is_shown(text: str) -> None:
    assert status(text) == "met"


@pytest.mark.parametrize(
    "text",
    [
        "Adam gains 11.3 points.",
        "The loss falls by 17.0%.",
        "Adam makes 43% fewer errors than plain.",
        "The error of plain is 1.75 times that of Adam.",
        "With a split of 80%, Adam wins.",
        "Over 25 repeats Adam wins.",
        "The 95% CI does not contain zero.",
        "The 95% bootstrap CI does not contain zero.",
        "Adam wins at the 95% confidence level.",
        "The effect is significant at the 5% level.",
        "Adam gains eleven points.",
        "Adam wins as the number of repeats increases from 25 to 80.",
    ],
)
def test_a_reader_can_place_what_follows_from_results_or_is_set(text: str) -> None:
    assert status(text) == "unknown"
    lookup = looked_up(STATEMENT, text, RESULTS, numbers_in([QUESTION]))
    assert lookup.open
    assert not_placed(lookup, RESULTS) == []


@pytest.mark.parametrize(
    "text",
    [
        "Adam's loss is only 0.55%.",
        "The loss of Adam is 55.",
        "The loss of Adam is 54.8.",
        "Adam loses 0.55 percentage points.",
        "Adam gains 15.4 points.",
        "The score is 0.85%.",
    ],
)
def test_a_number_that_agrees_only_a_hundredfold_is_not_shown(text: str) -> None:
    assert status(text) in ("unknown", "unmet")


@pytest.mark.parametrize(
    "text",
    [
        "Adam wins by five percent.",
        "Adam wins by 5 per cent.",
        "Adam beats plain by seven percentage points.",
        "Adam beats plain by seven points.",
        "Adam is better by a factor of 7.",
        "Adam is better by a factor of seven.",
        "Adam's error is seven per cent.",
        "Adam quintupled the accuracy.",
        "Adam exceeds plain by two-fifths.",
        "Adam's loss is a twentieth of plain's loss.",
        "Adam predicts with 99% mean confidence.",
        "Adam reaches a 95% average confidence level.",
        "Adam's accuracy hits the 99% level.",
        "Adam reaches 99% band accuracy.",
        "Adam lands in the 95% band.",
        "Adam predicts with 99% confidence.",
        "A factor of 3 was used.",
        "Adam's loss is less than half of plain's loss.",
        "Fewer than one percent of the rows are wrong.",
    ],
)
def test_percent_in_words_and_levels_of_nothing_need_evidence(text: str) -> None:
    assert status(text) in ("unknown", "unmet")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The error of Adam is 0.55%.", "met"),
        ("The error falls by 0.38 percentage points.", "unknown"),
        ("The spread of Adam is 0.85%.", "met"),
        ("The loss of Adam is 0.66%.", "unknown"),
    ],
)
def test_an_entry_counts_in_percent_by_its_name_or_by_the_entries_beside_it(text: str, expected: str) -> None:
    assert status(text, IN_PERCENT) == expected


@pytest.mark.parametrize(
    "text",
    [
        "Adam's accuracy is 25%.",
        "Adam's accuracy is 80%.",
        "Adam has a loss of 1000.",
        "The loss of Adam is 25.",
    ],
)
def test_a_result_that_only_the_question_has_is_undecided(text: str) -> None:
    assert status(text) == "unknown"
