"""Numbers that a conclusion cites: those of the run, whatever way they are written; no others."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.grading import Verdict
from assay.rules.cited import cited_numbers, numbers_in
from assay.rules.conclusion import grade_conclusion
from assay.rules.remade import Numbers
from assay.tasks import Conclusion

STATEMENT = Conclusion.model_validate(
    {
        "claim": [
            {
                "id": "outcome",
                "question": "Which of the 3 methods wins on 50 tasks?",
                "kind": "statement",
                "answer": "Momentum is better by 5.4 points.",
            }
        ]
    }
)
RESULTS = {
    "accuracy": {"plain": 0.8911111, "momentum": 0.9455555, "matched": 0.9477777},
    "loss": {"plain": 1.2860119, "momentum": 0.3074346, "matched": 0.3116331},
}


def results_in(text: str) -> list[float]:
    """The numbers that only results can show."""
    return [each.values[0] for each in cited_numbers(text) if each.context in ("result", "plain")]


def graded(text: str, results: object = RESULTS, **more: object) -> dict[str, Verdict]:
    """Item → verdict on a conclusion in words."""
    handed_in = json.dumps({"summary": "", "claims": {"outcome": text}}).encode()
    found = grade_conclusion(STATEMENT, handed_in, results, **more)  # type: ignore[arg-type]
    return {each.item.removeprefix("conclusion."): each for each in found}


@pytest.mark.parametrize(
    "text",
    [
        "Momentum reaches 0.946, plain 0.891.",
        "Momentum reaches 94.6% and plain 89.1 %.",
        "Momentum is 5.4 points better (94.56 against 89.11).",
        "The loss falls from 1.29 to 0.31, by 0.979, which is 76% less.",
        "The plain loss is 4.18 times that of momentum.",
        "The mean accuracy is 92.8%.",
        "Top-5 is a name, 3 is a count.",
        "Momentum wins.",
        "A loss of 1.286e0.",
        "The accuracy is 94.6% (95% half-width not shown, and the 95% band is wide).",
        "The p-value stays above alpha in all runs (p>0.05).",
        "Momentum wins in 1/2 of the cases; the shares are 89/95/95%.",
    ],
)
def test_true_numbers_are_faithful(text: str) -> None:
    assert graded(text)["faithful"].status == "met", graded(text)["faithful"].evidence


@pytest.mark.parametrize(
    ("text", "invented"),
    [
        ("Momentum reaches 0.981.", "0.981"),
        ("Momentum reaches 0.9456, and 98.1% at best.", "98.1%"),
        ("The loss is 0.3075.", "0.3075"),
        ("The loss falls by 1.2345.", "1.2345"),
        ("Momentum wins in 13/24 data sets.", "13/24"),
    ],
)
def test_a_fabricated_number_is_shown(text: str, invented: str) -> None:
    found = graded(text)["faithful"]
    assert (found.status, found.owner) == ("unmet", "agent")
    assert invented in found.evidence


@pytest.mark.parametrize("results", [{"wins": 3, "runs": 10}, {"share": 0.3}, {"percent": 30.0}])
def test_a_share_in_counts_may_be_a_count_or_a_share_of_the_results(results: object) -> None:
    for text in ("It wins in 3/10 runs.", "It wins in 3 of 10 runs."):
        assert graded(text, results)["faithful"].status == "met", text


def test_numbers_of_the_question_and_the_design_need_no_run() -> None:
    known = numbers_in(["50 tasks, batches of 1,024, a share of 12.5%"])
    assert (
        graded("On 50 tasks with batches of 1024 and 12.5% held out.", known_numbers=known)["faithful"].status
        == "met"
    )
    assert graded("A gain of 51 in all.", known_numbers=known)["faithful"].status == "unmet"


def test_noise_of_a_metric_is_allowed_at_its_place_only() -> None:
    noise = {"loss.momentum": 0.01}
    assert graded("A loss of 0.3075.", noise=noise)["faithful"].status == "met"
    assert graded("An accuracy of 0.9455 and 0.9501.", noise=noise)["faithful"].status == "unmet"


def test_a_number_over_results_that_hold_none_is_invented() -> None:
    assert graded("It reaches 0.946.", {"done": True})["faithful"].status == "unmet"
    assert graded("It reaches 0.946.", None)["faithful"].status == "unmet"
    assert graded("It is better.", {"done": True})["faithful"].status == "met"


def test_the_truths_own_words_need_no_judge_and_others_do() -> None:
    assert graded("momentum is better, by 5.4 points")["outcome"].status == "met"
    other = graded("Plain descent loses.")["outcome"]
    assert (other.status, other.by, other.owner) == ("unknown", "judge", "grader")
    assert "--judge-model" in other.evidence
    assert graded("  ")["outcome"].status == "unmet"


def test_the_truths_own_numbers_are_no_fabrication_where_the_run_does_not_make_them() -> None:
    found = graded("Momentum is better by 5.4 points.", {"seconds": 31.7})["faithful"]
    assert (found.status, found.owner) == ("unknown", "task")
    assert graded("It is 5.4 points better.", {"seconds": 31.7})["faithful"].status == "unmet"


def test_a_statement_may_stand_in_the_summary() -> None:
    handed_in = json.dumps({"summary": "Momentum is better by 5.4 points", "claims": {}}).encode()
    assert grade_conclusion(STATEMENT, handed_in, RESULTS)[0].status == "met"


@pytest.mark.parametrize("answer", [None, 3, ["a"], {"b": {"c": 1}}, [[[]]], True])
def test_an_answer_of_any_shape_gets_a_verdict(answer: object) -> None:
    handed_in = json.dumps({"claims": {"outcome": answer}, "summary": [1]}).encode()
    assert len(grade_conclusion(STATEMENT, handed_in, RESULTS)) == 2


def test_results_of_millions_of_numbers_are_not_all_read() -> None:
    found = graded("It reaches 0.946.", {"all": list(range(300_000))})["faithful"]
    assert (found.status, "too many" in found.evidence) == ("unknown", True)


@given(st.text(max_size=300))
def test_any_text_can_be_searched(text: str) -> None:
    cited_numbers(text)
    numbers_in([text])


@given(st.floats(0.001, 1e6), st.integers(1, 6))
def test_a_rounded_number_is_found(number: float, places: int) -> None:
    (rounded,) = cited_numbers(f"It is {number:.{places}f} in all.")
    assert Numbers({"a": number}).has(rounded)


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("um 0,232 (0,629 gegen 0,397), nur 0,010", [0.232, 0.629, 0.397, 0.01]),
        ("62,9 % contre 39,7 %", [0.629, 0.397]),
        ("1,234 is reached, and 1,234.5", [1234.0, 1234.5]),
        ("with 0,12,13 as ids", []),
        ("13 measured columns and 500 others make 513 candidates", []),
        ("a share of 0.93 columns", [0.93]),
    ],
)
def test_decimal_commas_are_read_and_counts_of_the_set_up_are_no_results(
    text: str, values: list[float]
) -> None:
    assert results_in(text) == pytest.approx(values)


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("Precision rose from 40 to 90.", [40, 90]),
        ("40 became 90 in precision.", [40, 90]),
        ("Ours gets 90, the baseline 300.", [90, 300]),
        ("The method reaches 90 in task 3.", [90]),
        ("We ran it 20 times, with 100 trees and 10 folds, for 50 epochs.", []),
        ("It wins in 4 of 5 cases and by 3.", []),
    ],
)
def test_round_numbers_are_results_unless_they_count_something(text: str, values: list[float]) -> None:
    assert results_in(text) == values


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("Precision rose for the new method from 40 to 90.", "unknown"),
        ("The accuracy was at 90, against 40.", "unknown"),
        ("Accuracy rose when the width went from 40 to 90.", "unknown"),
        ("The forests of 40 and 90 agree.", "unknown"),
        ("We used 40 trees and 90 epochs.", "met"),
    ],
)
def test_a_number_of_the_code_is_shown_only_where_the_text_sets_it(text: str, status: str) -> None:
    assert graded(text, settings={40.0, 90.0})["faithful"].status == status
