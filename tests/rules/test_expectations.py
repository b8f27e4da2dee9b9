"""What a text only expects is no report: it answers nothing, and only its opposite speaks against it."""

from __future__ import annotations

import json
import time

import pytest

from assay.rules.conclusion import grade_conclusion
from assay.rules.expectations import is_only_expected, only_expects
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
        # One expecting word anywhere made each of these an expectation.
        "A performs better than B, as one would expect from the theory.",
        "A performs better than B, so future work should focus on A.",
        "A performs better than B so future work should focus on A.",
        "The mean lies above the median, as one would expect from skewed data.",
        "The pruned model performs worse than the dense one, as we predict in the design.",
        "Averaging five seeds lowers the variance by half, which should help on small data.",
        "The error of A stays below that of B for every seed, so A should be preferred.",
        "A converges faster than B, as the authors predict.",
        "A surpasses B by 3 points, although B should have the advantage of more data.",
        "Removing the layer lowers accuracy, and larger models should suffer more.",
        "Selecting features outside of the folds inflates the accuracy, so it should be done inside.",
        "Bagging lowered the variance, which one would expect from averaging.",
        "A came out ahead of B, even though B was expected to win.",
        "As expected, A performs better than B.",
        "A scores higher than B, in line with what we would expect.",
        "A scores higher than B, which should not surprise.",
        "A scores worse than one would expect.",
        "We expected A to win, but B is higher.",
        "In ten further runs the mean scored 91.7 and the median 13.4, as one would expect.",
    ],
)
def test_a_report_stays_a_report(sentence: str) -> None:
    assert not only_expects(sentence)
    assert not is_only_expected(f"A should win. {sentence}", sentence)


def test_a_quote_that_also_reports_is_no_expectation() -> None:
    text = "A should be higher than B. A is higher than B."
    assert not is_only_expected(text, text)
    assert not is_only_expected(text, "")
    assert not is_only_expected(text, "words of another text")


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("The error should be 0.931.", "unknown"),
        ("The error is 0.931, as it should be.", "unknown"),
        ("The error came out at 0.931, as one would expect.", "unknown"),
        ("Ten runs scored 0.931, so A should be tried.", "unknown"),
        ("The error should fall, and in ten runs it scored 0.931.", "unknown"),
        ("With an error of 0.931 in ten runs, A should please everybody.", "unknown"),
        ("Since ten runs scored 0.931, A should please everybody.", "unknown"),
        ("A should please everybody, as the score of 0.931 tells.", "unknown"),
        ("Based on the paper, A should reach 0.931, and B should reach 0.871.", "unknown"),
        ("We expect that the error of A will be 0.931.", "unknown"),
        ("It should surprise nobody that A scores 91.7%.", "unknown"),
        ("It should come as no surprise that A climbs to 91.7%.", "unknown"),
        ("It should be obvious that A gets 91.7%.", "unknown"),
        ("Readers should see that A gets 91.7%.", "unknown"),
        ("The 91.7% of A should convince everybody.", "unknown"),
        ("The error should be 0.25.", "met"),
        ("The error came out at 0.25, as one would expect.", "met"),
    ],
)
def test_an_expected_number_that_nothing_shows_is_undecided(text: str, status: str) -> None:
    handed_in = json.dumps({"summary": "", "claims": {"outcome": text}}).encode()
    assert grade_conclusion(STATEMENT, handed_in, {"error": 0.25})[-1].status == status


def test_an_expected_number_in_the_words_of_the_truth_is_no_fault_of_the_agent() -> None:
    truth = "About 43 wrong labels should be found."
    conclusion = Conclusion.model_validate(
        {"claim": [{"id": "outcome", "question": "How many?", "kind": "statement", "answer": truth}]}
    )
    handed_in = json.dumps({"summary": "", "claims": {"outcome": truth}}).encode()
    ruling = grade_conclusion(conclusion, handed_in, {"errors": 45})[-1]
    assert (ruling.status, ruling.owner) == ("unknown", "task")


def test_a_semicolon_ends_a_report() -> None:
    text = "Selecting features outside of the folds inflates the accuracy; it should be done inside."
    assert not is_only_expected(text, text)
    assert not only_expects(text)


def test_a_question_reports_nothing_either() -> None:
    text = "How can the order be found? The order should be A, B, C."
    assert is_only_expected(text, text)
    assert is_only_expected("We ran it. Is A higher than B?", "Is A higher than B?")
    assert not is_only_expected("Is A higher than B? It is.", "Is A higher than B? It is.")


@pytest.mark.parametrize(
    "part",
    [
        "that a finds ",
        "should be ",
        "as we ",
        ", and so ",
        "(",
        "as one would expect ",
        "which it would, ",
        "a, and ",
    ],
)
def test_a_long_sentence_is_read_in_time(part: str) -> None:
    began = time.process_time()
    is_only_expected(part * (150_000 // len(part)), "a quote")
    assert time.process_time() - began < 5
