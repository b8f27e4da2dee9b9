"""A submission that says everything says nothing; remarks, dates, spreads and errors are no inventions."""

from __future__ import annotations

import json

import pytest

from assay.rules.cited import cited_numbers
from assay.rules.conclusion import grade_conclusion
from assay.rules.design import grade_design
from assay.rules.tables import numbers_of_outputs
from assay.rules.written_values import compare_values
from assay.tasks import Claim, Conclusion, Design, Variable

CONCLUSION = Conclusion(
    claim=[
        Claim(
            id="gap",
            question="Is A higher than B?",
            kind="direction",
            paths=["accuracy.a", "accuracy.b"],
            answer="higher",
        )
    ]
)
RESULTS = {"accuracy": {"a": 0.9455, "b": 0.8911}}


def statuses(
    claims: dict[str, object], summary: str = "", outputs: dict[str, bytes] | None = None
) -> dict[str, str]:
    handed_in = json.dumps({"summary": summary, "claims": claims}).encode()
    rulings = grade_conclusion(CONCLUSION, handed_in, RESULTS, outputs=outputs)
    return {ruling.item.partition(".")[2]: ruling.status for ruling in rulings}


@pytest.mark.parametrize(
    ("name", "answer", "status"),
    [
        ("GAP", "higher", "unmet"),
        ("gap (the real answer)", "lower", "unmet"),
        ("gap_2", "higher, lower and the same", "unmet"),
        ("gap_explained", "it is higher because of the step", "met"),
        ("gap size", 0.054, "met"),
        ("other", "lower", "met"),
    ],
)
def test_a_claim_is_answered_once(name: str, answer: object, status: str) -> None:
    assert statuses({"gap": "higher", name: answer})["gap"] == status


@pytest.mark.parametrize(
    "summary",
    [
        "Run on 2026-11-16.",
        "The test error is 5.4% for A and 10.9% for B.",
        "A gets 511 of 540 images right.",
        "A has 0.946 (standard deviation over repeats 0.0041).",
        "It took 1.4 s on 2 cores with 16 GB.",
        "The loss of A is 0.307 after 50 steps, on average 0.412.",
    ],
)
def test_a_true_summary_is_faithful(summary: str) -> None:
    curves = b"who, repeat, step, loss\nA, 0, 50, 0.307\nA, 1, 50, 0.517\n"
    assert statuses({"gap": "higher"}, summary, {"curves.csv": curves})["faithful"] == "met"


@pytest.mark.parametrize("summary", ["A has 0.731 and B 0.652.", "A has 97.25% and B 31.5%."])
def test_an_invented_summary_is_not(summary: str) -> None:
    assert statuses({"gap": "higher"}, summary)["faithful"] == "unmet"


def test_dates_are_no_numbers_and_counts_are_shares() -> None:
    assert cited_numbers("Run on 2026-11-16 at noon.") == []
    (share,) = cited_numbers("It gets 511 of 540 images right.")
    assert share.values[0] == pytest.approx(511 / 540)
    assert cited_numbers("It holds for 2 of 3 seeds.") == []


def test_the_rows_of_a_table_are_found_by_what_they_are_about() -> None:
    found = numbers_of_outputs(
        {"curves.csv": b"who,step,loss\nA,50,0.307\n", "x.json": b"[0.5", "y.txt": b"1"}
    )
    assert found == {"curves.csv": {"loss": {"A": {"50": 0.307}}}}


DESIGN = Design(
    variable=[
        Variable(name=name, role="constant", values=[value])
        for name, value in (("rate", 0.1), ("steps", 300), ("batch", 32), ("repeats", 3))
    ]
)
CONSTANT = {"rate": 0.1, "steps": 300, "batch": 32, "repeats": 3}


def design_statuses(design: dict[str, object]) -> set[str]:
    return {ruling.status for ruling in grade_design(DESIGN, json.dumps(design).encode())}


def test_a_design_that_states_most_variables_again_in_another_role_is_unmet() -> None:
    again = {f"{name} in truth": [1, 2, 3] for name in CONSTANT}
    assert design_statuses({"constant": CONSTANT, "independent": again, "dependent": []}) == {"unmet"}


def test_one_longer_name_in_another_role_is_a_variable_of_its_own() -> None:
    design = {"constant": CONSTANT, "independent": {"rate schedule": ["flat", "cosine"]}, "dependent": []}
    assert design_statuses(design) == {"met"}


@pytest.mark.parametrize(
    ("expected", "stated", "likeness"),
    [
        ([0.05], ["0.05 (falls linearly to 0)"], "same"),
        ([3], ["3 (numbered 0, 1, 2)"], "same"),
        ([300], ["300 steps per run"], "same"),
        (["plain", "matched"], [{"plain": {"rate": 0.05}, "matched": {"rate": 0.5}}], "same"),
        ([5], ["5 (or 10)"], "unclear"),
        ([5], ["5 (not 10)"], "unclear"),
        ([5], ["50 (five at first)"], "different"),
    ],
)
def test_a_remark_beside_a_value(expected: list[object], stated: list[object], likeness: str) -> None:
    assert compare_values(expected, stated) == likeness
