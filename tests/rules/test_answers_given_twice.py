"""A submission that says everything says nothing; remarks, dates, spreads and errors are no inventions."""

from __future__ import annotations

import json
import time

import pytest

from assay.rules.cited import cited_numbers
from assay.rules.conclusion import grade_conclusion
from assay.rules.design import grade_design
from assay.rules.intervals import interval_ends
from assay.rules.remade import Numbers
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
        ("gap_rationale", "B lies below A; anything under 0.01 would be the same", "met"),
        ("gap_text", "lower", "met"),
        ("gap_again", "B is not lower than A in any of the ten repeats", "met"),
        ("other", "lower", "met"),
    ],
)
def test_a_claim_is_answered_once(name: str, answer: object, status: str) -> None:
    assert statuses({"gap": "higher", name: answer})["gap"] == status


SIZE = Claim(id="gap-size", question="How large?", kind="magnitude", paths=["a", "b"], answer=0.0544)
ORDER = Claim(
    id="order",
    question="Which first?",
    kind="ordering",
    paths=["a", "b"],
    order=["a", "b"],
    answer=["a", "b"],
)


@pytest.mark.parametrize(
    ("claim", "name", "answer", "status"),
    [
        (SIZE, "gap-size-se", 0.012, "met"),
        (SIZE, "gap-size-percent", 5.44, "met"),
        (SIZE, "gap-size-percent", 23.0, "unmet"),
        (SIZE, "gap_size_relative", 0.061, "met"),
        (SIZE, "gap-size-points", 5.44, "met"),
        (SIZE, "gap-size-points", 23.0, "unmet"),
        (SIZE, "gap-size-a", 0.9455, "met"),
        (SIZE, "gap-size-2", 0.3, "unmet"),
        (SIZE, "gap-size (the correct value, no error)", 0.3, "unmet"),
        (ORDER, "order-accuracies", [0.9455, 0.8911], "met"),
        (ORDER, "order of errors", ["b", "a"], "met"),
        (ORDER, "order-other", ["b", "a"], "unmet"),
        (ORDER, "order-lowest-first", ["b", "a"], "met"),
        (ORDER, "order_all", ["d", "a", "c", "b"], "met"),
        (ORDER, "order_all", ["d", "b", "c", "a"], "unmet"),
        (SIZE, "gap-size-unadjusted", 0.3, "met"),
        (SIZE, "gap-size-s07", 9.9, "met"),
        (SIZE, "gap-size of the control group", 0.3, "met"),
        (SIZE, "gap-size-final-value", 0.3, "unmet"),
        (ORDER, "order-temperature", ["b", "a"], "met"),
        (ORDER, "order-lowest-first", ["a", "b"], "unmet"),
    ],
)
def test_an_entry_for_another_quantity_is_no_second_answer(
    claim: Claim, name: str, answer: object, status: str
) -> None:
    conclusion = Conclusion(claim=[claim.model_copy(update={"tolerance": 0.001})])
    handed_in = json.dumps({"summary": "", "claims": {claim.id: claim.answer, name: answer}}).encode()
    ruling = grade_conclusion(conclusion, handed_in, {"a": 0.9455, "b": 0.8911})[0]
    assert ruling.status == status


def test_a_note_may_name_another_direction() -> None:
    note = "lower in one repeat, but higher on average"
    assert statuses({"gap": "higher", "gap-note": note})["gap"] == "met"


@pytest.mark.parametrize(
    ("summary", "status"),
    [
        ("The gap was between 0.044 and 0.065 in every repeat, and chance is 25%.", "met"),
        ("A has 0.946 (95% CI 0.92 to 0.97).", "met"),
        ("B ranged from 0.88 to 0.90 over the repeats.", "met"),
        ("A wins, t(4) = 21.3, p = 0.0003.", "met"),
        ("The effect is clear: F(2, 27) = 14.25, p < 0.001.", "met"),
        ("With t(4) = 21.3 A has 0.834 and B 0.412.", "unmet"),
        ("For three classes the chance level is about 0.33.", "met"),
        ("A was between 0.61 and 0.67.", "unmet"),
        ("The accuracy rose from 0.85 to 0.93.", "unmet"),
        ("The chance level is 41%, and A has 93.1%.", "unmet"),
        ("B ranged from 0.75 to 0.83, and C had 0.75 and D 0.83.", "unmet"),
    ],
)
def test_a_summary_beside_compared_claims_may_have_some_numbers_of_its_own(summary: str, status: str) -> None:
    handed_in = json.dumps({"summary": summary, "claims": {"gap": "higher"}}).encode()
    ruling = grade_conclusion(CONCLUSION, handed_in, RESULTS, settings={4.0})[-1]
    assert ruling.status == status, ruling.evidence


@pytest.mark.parametrize(
    "piece",
    [
        "between 1 and 1",
        "between ",
        "1",
        "chance is ",
        "chance of 0.25 between 0.1 and 0.3, ",
        " ",
        "3 classes ",
        "CI",
        "11x",
    ],
)
def test_no_text_makes_the_search_for_intervals_slow(piece: str) -> None:
    numbers = Numbers(RESULTS)
    started = time.process_time()
    for start in ("", "between 1 and ", "chance is "):
        list(interval_ends(start + piece * (100_000 // len(piece)), numbers))
    assert time.process_time() - started < 5.0


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
    (few,) = cited_numbers("It holds for 2 of 3 seeds.")
    assert few.values[0] == pytest.approx(2 / 3)
    two = cited_numbers("Right are 127 vs. 135 of 160 pairs.")
    assert [share.values[0] for share in two] == [127 / 160, 135 / 160]
    (count,) = cited_numbers("So it is on the 73 consensus pairs.")
    assert count.is_whole


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


@pytest.mark.parametrize("added", ["schedule", "rule", "count"])
@pytest.mark.parametrize("names", [["rate"], [*CONSTANT]])
def test_a_name_with_a_word_for_another_quantity_is_a_variable_of_its_own(
    added: str, names: list[str]
) -> None:
    described = {f"{name}_{added}": ["flat", "cosine"] for name in names}
    design = {"constant": CONSTANT, "independent": described, "dependent": []}
    assert design_statuses(design) == {"met"}


def test_the_same_values_again_under_any_other_name_are_no_variable_of_their_own() -> None:
    again = {f"{name} schedule": value for name, value in CONSTANT.items()}
    assert design_statuses({"constant": CONSTANT, "independent": again, "dependent": []}) == {"unmet"}


@pytest.mark.parametrize(
    ("expected", "stated", "likeness"),
    [
        ([0.05], ["0.05 (falls linearly to 0)"], "same"),
        ([3], ["3 (numbered 0, 1, 2)"], "same"),
        ([300], ["300 steps per run"], "same"),
        (["plain", "matched"], [{"plain": {"rate": 0.05}, "matched": {"rate": 0.5}}], "same"),
        ([5], ["five"], "same"),
        ([500], ["five hundred"], "same"),
        ([5], ["ten"], "different"),
        ([5], ["five or ten"], "different"),
        (["real", "permuted"], [{"real": "as given", "permuted": "shuffled"}], "same"),
        (["real", "permuted"], [{"levels": ["permuted", "real"]}], "same"),
        (["real"], [{"values": ["real"], "levels": ["permuted"]}], "unclear"),
        ([5], ["5 (or 10)"], "unclear"),
        ([5], ["5 (not 10)"], "unclear"),
        ([5], ["50 (five at first)"], "different"),
    ],
)
def test_a_remark_beside_a_value(expected: list[object], stated: list[object], likeness: str) -> None:
    assert compare_values(expected, stated) == likeness
