"""Questions about the parts of a conclusion: neutral, answerable, and no luck for a reader that guesses."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.grading.reading.blind_reader import BlindAnswer, letter_of, settle
from assay.grading.reading.part_questions import (
    CONTRADICTORY,
    NOT_STATED,
    WORDINGS,
    ask_part,
    right_answer,
    value_answer,
)
from assay.tasks.claim_parts import (
    ClaimPart,
    ComparisonPart,
    ExistencePart,
    OrderingPart,
    ThresholdPart,
    TrendPart,
    ValuePart,
)

ANSWERS = {
    "comparison": ["higher", "lower", "equal"],
    "threshold": ["above", "below"],
    "trend": ["increases", "decreases", "flat", "rises then falls", "falls then rises"],
    "existence": ["yes", "no"],
}


def make(kind: str, answer: str) -> ClaimPart:
    match kind:
        case "comparison":
            return ComparisonPart(id="x", measure="error", a="pruning", b="dropout", answer=answer)
        case "threshold":
            return ThresholdPart(id="x", measure="error", subject="pruning", limit=0.5, answer=answer)
        case "trend":
            return TrendPart(id="x", measure="error", subject="pruning", over="the width", answer=answer)
        case _:
            return ExistencePart(id="x", statement="the loss diverges", answer=answer)


EVERY = [(kind, answer) for kind, answers in ANSWERS.items() for answer in answers]


@pytest.mark.parametrize(("kind", "answer"), EVERY)
@pytest.mark.parametrize("wording", range(WORDINGS))
@pytest.mark.parametrize("turn", [0, 1])
def test_a_question_is_the_same_whatever_the_truth_is(
    kind: str, answer: str, wording: int, turn: int
) -> None:
    question = ask_part(make(kind, answer), wording, turn)
    assert question == ask_part(make(kind, ANSWERS[kind][0]), wording, turn)
    assert sorted(question.meanings.values()) == sorted([*ANSWERS[kind], CONTRADICTORY, NOT_STATED])
    assert right_answer(make(kind, answer)) in question.meanings.values()
    assert len(set(question.options.values())) == len(question.options)


@pytest.mark.parametrize("kind", ANSWERS)
@pytest.mark.parametrize("letter", "ABCDEFG")
def test_a_reader_that_always_names_the_same_letter_is_never_believed(kind: str, letter: str) -> None:
    part = make(kind, ANSWERS[kind][0])

    async def ask(wording: int, turn: int) -> BlindAnswer:
        return BlindAnswer(ask_part(part, wording, turn).meanings.get(letter))

    assert asyncio.run(settle(ask)).answer is None


@given(st.permutations(["net a", "net b", "net c", "net d"]), st.permutations([0, 1, 2, 3]))
def test_a_reader_that_always_gives_the_same_order_is_never_believed(
    items: list[str], places: list[int]
) -> None:
    part = OrderingPart(id="x", measure="error", items=items)

    async def ask(wording: int, turn: int) -> BlindAnswer:
        question = ask_part(part, wording, turn)
        named = [question.meanings["ABCD"[place]] for place in places]
        return BlindAnswer(" > ".join(named[::-1] if wording == 1 else named))

    assert asyncio.run(settle(ask)).answer is None


def test_two_readings_that_agree_are_enough() -> None:
    asked = []

    async def ask(wording: int, turn: int) -> BlindAnswer:
        asked.append((wording, turn))
        return BlindAnswer("higher", quote="it is higher")

    finding = asyncio.run(settle(ask))
    assert finding.answer == "higher"
    assert finding.quote == "it is higher"
    assert asked == [(0, 0), (1, 0)]


@pytest.mark.parametrize(
    ("answers", "settled"),
    [
        (["higher", "lower", "higher", "higher"], "higher"),
        (["higher", "lower", "higher", "lower"], None),
        (["higher", None, "higher", "higher"], "higher"),
        (["higher", None, "higher", None], None),
        ([None, None, None, None], None),
    ],
)
def test_where_two_readings_differ_three_of_four_must_agree(
    answers: list[str | None], settled: str | None
) -> None:
    left = iter(answers)

    async def ask(wording: int, turn: int) -> BlindAnswer:
        return BlindAnswer(next(left))

    assert asyncio.run(settle(ask)).answer == settled


@pytest.mark.parametrize(
    ("numbers", "answer"),
    [
        ([80.4], "80.0"),
        ([], NOT_STATED),
        ([80.0, 95.0], CONTRADICTORY),
        ([95.0], "95.0"),
        ([79.0, 81.0], "80.0"),
    ],
)
def test_stated_numbers_count_within_the_tolerance(numbers: list[float], answer: str) -> None:
    part = ValuePart(id="x", measure="accuracy", subject="net", value=80.0, tolerance=1.0, unit="%")
    assert value_answer(part, numbers) == answer


@pytest.mark.parametrize(
    ("text", "letter"),
    [
        ("B", "B"),
        (" b. ", "B"),
        ("(C)", "C"),
        ("B: both are equal", "B"),
        ("Both", None),
        ("", None),
        ("Z", None),
    ],
)
def test_the_letter_of_an_answer(text: str, letter: str | None) -> None:
    assert letter_of(text, "ABC") == letter
