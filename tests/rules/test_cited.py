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
from tests.rules.placing import looked_up, not_placed

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
        "The loss falls from 1.29 to 0.31.",
        "Momentum wins.",
        "A loss of 1.286e0.",
    ],
)
def test_numbers_of_the_results_are_faithful(text: str) -> None:
    assert graded(text)["faithful"].status == "met", graded(text)["faithful"].evidence


@pytest.mark.parametrize(
    "text",
    [
        "Momentum is 5.4 points better (94.56 against 89.11).",
        "The loss falls by 0.979, which is 76% less.",
        "The plain loss is 4.18 times that of momentum.",
        "The mean accuracy is 92.8%.",
        "Top-5 is a name, 3 is a count.",
        "The p-value stays above alpha in all 5 runs.",
        "Momentum wins by about half of the loss.",
    ],
)
def test_numbers_that_follow_from_results_need_a_reader(text: str) -> None:
    found = graded(text)["faithful"]
    assert (found.status, found.by) == ("unknown", "judge"), found.evidence
    assert not_placed(looked_up(STATEMENT, text, RESULTS), RESULTS, most=3) == []


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
    assert found.status == "unknown"
    assert invented in found.evidence
    assert not_placed(looked_up(STATEMENT, text, RESULTS), RESULTS) == [invented]


@pytest.mark.parametrize("results", [{"wins": 3, "runs": 10}, {"share": 0.3}, {"percent": 30.0}])
def test_a_share_in_counts_may_be_a_count_or_a_share_of_the_results(results: object) -> None:
    for text in ("It wins in 3/10 runs.", "It wins in 3 of 10 runs."):
        assert not_placed(looked_up(STATEMENT, text, results), results) == [], text


def test_numbers_of_the_question_and_the_design_may_be_settings() -> None:
    known = numbers_in(["50 tasks, batches of 1,024, a share of 12.5%"])
    honest = looked_up(STATEMENT, "On 50 tasks with batches of 1024 and 12.5% held out.", RESULTS, known)
    assert len(honest.settings) == len(honest.open) == 3
    invented = looked_up(STATEMENT, "A gain of 51.3 in all.", RESULTS, known)
    assert (len(invented.settings), len(invented.missing)) == (0, 1)


def test_noise_of_a_metric_is_allowed_at_its_place_only() -> None:
    noise = {"loss.momentum": 0.01}
    assert graded("A loss of 0.3075.", noise=noise)["faithful"].status == "met"
    assert graded("An accuracy of 0.9455 and 0.9501.", noise=noise)["faithful"].status == "unknown"


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
    assert graded("It is 5.4 points better.", {"seconds": 31.7})["faithful"].owner == "grader"


def test_a_statement_may_stand_in_the_summary() -> None:
    handed_in = json.dumps({"summary": "Momentum is better by 5.4 points", "claims": {}}).encode()
    assert grade_conclusion(STATEMENT, handed_in, RESULTS)[0].status == "met"


@pytest.mark.parametrize("answer", [None, 3, ["a"], {"b": {"c": 1}}, [[[]]], True])
def test_an_answer_of_any_shape_gets_a_verdict(answer: object) -> None:
    handed_in = json.dumps({"claims": {"outcome": answer}, "summary": [1]}).encode()
    assert len(grade_conclusion(STATEMENT, handed_in, RESULTS)) == 2


def test_results_of_millions_of_numbers_are_not_all_read() -> None:
    found = graded("It reaches 0.946.", {"all": list(range(300_000))})["faithful"]
    assert found.status == "unknown"
    crowd = {"all": list(range(300_000))}
    assert not looked_up(STATEMENT, "It has 0.9461, 0.9462, 0.9463.", crowd).rests_on_others


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
        ("with 0,12,13 as ids", [0, 12, 13]),
        ("13 measured columns and 500 others make 513 candidates", [13, 500, 513]),
        ("a share of 0.93 columns", [0.93]),
        ("Precision rose from 40 to 90 in task 3.", [40, 90, 3]),
        ("It wins in 4 of 5 cases and by 3.", [0.8, 3]),
        ("On CIFAR-10 with resnet50 and v1.23", [10, 50, 1.23]),
        ("1.5 million parameters, 2 thousand rows, 25k steps, 2.5M tokens", [1.5e6, 2e3, 25e3, 2.5e6]),
        ("It keeps 16 kB and a million rows", [16, 1e6]),
    ],
)
def test_every_number_is_read(text: str, values: list[float]) -> None:
    assert [number.values[0] for number in cited_numbers(text)] == pytest.approx(values)


def test_a_text_that_rests_on_another_run_is_told_from_one_with_other_numbers() -> None:
    for text, rests in (
        ("A has 0.731 and B 0.652.", True),
        ("A has 0.731.", False),
        ("A has 0.9456 and B 0.8911, C 0.652 and D 0.731.", False),
        ("Over 40 runs of 90 steps, A has 0.9456, with a learning rate of 0.003.", False),
    ):
        found = looked_up(STATEMENT, text, RESULTS, settings={40.0, 90.0, 0.003})
        assert found.rests_on_others == rests, text
