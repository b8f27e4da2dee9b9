"""Claims: true of the world, and faithful to the numbers their own run re-made."""

from __future__ import annotations

import json

import pytest

from assay.rules.conclusion import grade_conclusion
from assay.tasks import Conclusion

CONCLUSION = Conclusion.model_validate(
    {
        "claim": [
            {"id": "way", "question": "?", "kind": "direction", "paths": ["a", "b"], "answer": "higher"},
            {
                "id": "rank",
                "question": "?",
                "kind": "ordering",
                "paths": ["a", "b", "c"],
                "order": ["A", "B", "C"],
                "answer": ["A", "C", "B"],
            },
            {
                "id": "size",
                "question": "?",
                "kind": "magnitude",
                "paths": ["a", "b"],
                "answer": 0.4,
                "tolerance": 0.05,
            },
        ]
    }
)
NUMBERS = {"a": 0.9, "b": 0.5, "c": 0.7}
RIGHT = {"way": "higher", "rank": ["A", "C", "B"], "size": 0.41}


def graded(claims: object, numbers: object = NUMBERS) -> dict[str, str]:
    """Claim → status."""
    handed_in = json.dumps({"summary": "", "claims": claims}).encode()
    return {
        v.item.removeprefix("conclusion."): v.status for v in grade_conclusion(CONCLUSION, handed_in, numbers)
    }


def test_true_and_faithful() -> None:
    assert set(graded(RIGHT).values()) == {"met"}


@pytest.mark.parametrize("size", ["0.41", " 0.4 ", "41%", 0.4])
def test_numbers_as_text_shares_and_capitals_are_forgiven(size: object) -> None:
    assert set(graded({"way": "Higher.", "rank": ["a", " c", "B"], "size": size}).values()) == {"met"}


@pytest.mark.parametrize(
    ("change", "wrong"),
    [
        ({"way": "lower"}, "way"),
        ({"rank": ["A", "B", "C"]}, "rank"),
        ({"size": 0.5}, "size"),
        ({"size": True}, "size"),
        ({"size": "41"}, "size"),
        ({"size": 10**400}, "size"),
        ({"size": "nan"}, "size"),
    ],
)
def test_a_false_claim_costs_itself_and_faithfulness(change: dict[str, object], wrong: str) -> None:
    found = graded({**RIGHT, **change})
    assert {name for name, status in found.items() if status == "unmet"} == {wrong, "faithful"}


def test_true_claims_over_other_numbers_are_not_faithful() -> None:
    found = graded(RIGHT, {"a": 0.5, "b": 0.9, "c": 0.7})
    assert {name for name, status in found.items() if status == "unmet"} == {"faithful"}


def test_without_re_made_numbers_nothing_is_faithful() -> None:
    assert graded(RIGHT, None)["faithful"] == "unmet"


def test_an_ordering_of_losses_has_the_lowest_first() -> None:
    table = CONCLUSION.claim[1].model_copy(update={"best": "lower", "answer": ["B", "C", "A"]})
    conclusion = Conclusion(claim=[table])
    handed_in = json.dumps({"claims": {"rank": ["B", "C", "A"]}}).encode()
    assert {v.status for v in grade_conclusion(conclusion, handed_in, NUMBERS)} == {"met"}


@pytest.mark.parametrize("hostile", [None, b"", b"[]", b'{"claims": []}', b"[" * 200_000])
def test_malformed_conclusions_are_unmet(hostile: bytes | None) -> None:
    assert {v.status for v in grade_conclusion(CONCLUSION, hostile, NUMBERS)} == {"unmet"}


@pytest.mark.parametrize(
    ("summary", "status"),
    [
        ("A is at 0.90 and B at 0.50.", "met"),
        ("A is at 0.90 and B at 0.50, and chance would be 0.25.", "met"),
        ("A is at 0.12 and B at 0.98, which is significant (p = 0.0003).", "unmet"),
        ("A beats B.", "met"),
    ],
)
def test_a_summary_tells_of_the_run_that_was_made(summary: str, status: str) -> None:
    handed_in = json.dumps({"summary": summary, "claims": RIGHT}).encode()
    found = {each.item: each.status for each in grade_conclusion(CONCLUSION, handed_in, NUMBERS)}
    assert found["conclusion.faithful"] == status


def test_a_question_that_is_answered_twice_is_not_answered() -> None:
    assert graded({**RIGHT, "Way": "lower"})["way"] == "unmet"


def test_an_answer_is_found_under_its_id_in_another_spelling_if_only_one_entry_has_it() -> None:
    size = CONCLUSION.claim[2].model_copy(update={"id": "gap-size"})
    conclusion = Conclusion(claim=[size])

    def status(claims: dict[str, object]) -> set[str]:
        return {
            v.status for v in grade_conclusion(conclusion, json.dumps({"claims": claims}).encode(), NUMBERS)
        }

    assert status({"gap_size": 0.41}) == {"met"}
    assert status({"gap_size": 0.9}) == {"unmet"}
    assert status({"gap_size": 0.41, "Gap size": 0.9}) == {"unmet"}
    assert status({"gap-size": 0.9, "gap_size": 0.41}) == {"unmet"}


def test_ids_that_are_spelled_alike_are_not_mixed_up() -> None:
    first, second = (CONCLUSION.claim[2].model_copy(update={"id": name}) for name in ("gap-1", "gap1"))
    handed_in = json.dumps({"claims": {"gap_1": 0.41}}).encode()
    rulings = grade_conclusion(Conclusion(claim=[first, second]), handed_in, NUMBERS)
    assert {ruling.status for ruling in rulings} == {"unmet"}


@pytest.mark.parametrize(
    ("size", "status"),
    [("~0.41", "met"), ("≈ 0.4", "met"), ("about 0.41", "met"), ("approx. 41%", "met"), ("~0.5", "unmet")],
)
def test_a_size_may_be_called_approximate(size: str, status: str) -> None:
    assert graded({**RIGHT, "size": size})["size"] == status


@pytest.mark.parametrize(
    ("answer", "status"), [("the same", "met"), ("The same.", "met"), ("not the same", "unmet")]
)
def test_a_direction_may_have_an_article(answer: str, status: str) -> None:
    way = CONCLUSION.claim[0].model_copy(update={"answer": "same", "tolerance": 1.0})
    handed_in = json.dumps({"claims": {"way": answer, "way-again": "the same"}}).encode()
    assert grade_conclusion(Conclusion(claim=[way]), handed_in, NUMBERS)[0].status == status


@pytest.mark.parametrize(
    "way", ["❌ higher", "✗ higher", "🚫higher", "👎 higher", "~~higher~~", "higher‽", "higher⃠"]
)
def test_a_direction_with_a_sign_that_denies_it_is_no_answer(way: str) -> None:
    name = next(claim.id for claim in CONCLUSION.claim if claim.kind == "direction")
    assert RIGHT[name] in way
    assert graded({**RIGHT, name: way})[name] == "unmet"
    assert graded({**RIGHT, name: f"✅ {RIGHT[name]}"})[name] == "met"


@pytest.mark.parametrize("other", ["0.9 wrong", "0.9 is the real answer", "about 0.9"])
def test_a_second_size_counts_whatever_is_said_of_it(other: str) -> None:
    assert graded({**RIGHT, "size-2": other})["size"] == "unmet"


def test_a_second_size_that_is_called_approximate_is_a_second_answer() -> None:
    assert graded({**RIGHT, "size-2": "~0.9"})["size"] == "unmet"


@pytest.mark.parametrize("number", [float("nan"), float("inf")])
def test_no_claim_follows_from_results_that_are_no_numbers(number: float) -> None:
    results = {**NUMBERS, "a": number}
    handed_in = json.dumps({"claims": RIGHT}).encode()
    for way in ("higher", "lower", "same"):
        name = next(claim.id for claim in CONCLUSION.claim if claim.kind == "direction")
        handed_in = json.dumps({"claims": {**RIGHT, name: way}}).encode()
        assert grade_conclusion(CONCLUSION, handed_in, results)[-1].status == "unmet"
