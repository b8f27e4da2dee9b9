"""What a text only expects is no report: it answers nothing, and only its opposite speaks against it."""

from __future__ import annotations

import json

import pytest

from assay.rules.conclusion import grade_conclusion
from assay.rules.expectations import is_only_expected, only_expects, reported
from assay.tasks import Conclusion

STATEMENT = Conclusion.model_validate(
    {"claim": [{"id": "outcome", "question": "Which wins?", "kind": "statement", "answer": "A wins."}]}
)


@pytest.mark.parametrize(
    "sentence",
    [
        "The smooth curve should have a lower error than the binned one.",
        "Quantitatively, the smooth curve should exhibit lower bias compared to the binned curve.",
        "About 43 wrong labels should be found among 150.",
        "Given the many scores, experiments should reveal that some of them yield higher accuracy.",
        "The smooth curve is expected to follow the pattern, whereas the binned one may miss it.",
        "It is expected that A is higher than B.",
        "We expect A to be higher than B, as the paper found.",
        "The edges that the search finds are expected to match the true ones.",
    ],
)
def test_an_expectation_is_no_report(sentence: str) -> None:
    assert only_expects(sentence)
    assert is_only_expected(f"We ran it. {sentence} We stop here.", sentence[10:30])
    assert reported(f"We ran it. {sentence}") == "We ran it."


@pytest.mark.parametrize(
    "sentence",
    [
        "A is higher than B.",
        "As expected, A is higher than B.",
        "A should be preferred, because it reaches 0.93.",
        "A should be higher than B, and it was.",
        "A was expected to be higher, but B was higher.",
        "Our results show that A wins, so one should use A.",
        "This should not surprise: A outperforms B.",
        "It should be noted that A wins against B.",
        "Clearly one should use A instead of B.",
        "The edges that the search finds match, as they should.",
    ],
)
def test_a_report_stays_a_report(sentence: str) -> None:
    assert not only_expects(sentence)
    assert reported(sentence) == sentence
    assert not is_only_expected(f"A should win. {sentence}", sentence)


def test_a_quote_that_also_reports_is_no_expectation() -> None:
    text = "A should be higher than B. A is higher than B."
    assert not is_only_expected(text, text)
    assert not is_only_expected(text, "")
    assert not is_only_expected(text, "words of another text")


@pytest.mark.parametrize(
    ("text", "status"),
    [("The error should be 0.931.", "met"), ("The error is 0.931, as it should be.", "unmet")],
)
def test_only_a_reported_number_must_be_among_the_results(text: str, status: str) -> None:
    handed_in = json.dumps({"summary": "", "claims": {"outcome": text}}).encode()
    assert grade_conclusion(STATEMENT, handed_in, {"error": 0.25})[-1].status == status


def test_a_question_reports_nothing_either() -> None:
    text = "How can the order be found? The order should be A, B, C."
    assert is_only_expected(text, text)
    assert is_only_expected("We ran it. Is A higher than B?", "Is A higher than B?")
    assert not is_only_expected("Is A higher than B? It is.", "Is A higher than B? It is.")
