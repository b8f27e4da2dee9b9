"""Counts, totals and places that a conclusion states: a reader names the results, code counts."""

from __future__ import annotations

import asyncio
import json

import pytest
from pydantic import BaseModel

from assay.grading import Judge
from assay.grading.judge.reader import ReaderAnswer
from assay.grading.reading.conclusions import ReadDecision
from assay.grading.reading.hidden_numbers import find_hidden
from assay.rules.cited import cited_numbers
from assay.tasks import Conclusion
from tests.rules.placing import looked_up

RESULTS = {
    "runs": [
        {"a": 0.9137, "b": 0.8421, "errors": 11},
        {"a": 0.9052, "b": 0.8533, "errors": 14},
        {"a": 0.8779, "b": 0.8835, "errors": 9},
        {"a": 0.9218, "b": 0.8302, "errors": 12},
        {"a": 0.8994, "b": 0.8407, "errors": 17},
    ],
    "mean": {"a": 0.9036, "b": 0.85, "c": 0.8711, "d": 0.8604},
    "seconds": {"a": 31.0, "b": 12.5, "c": 40.2, "d": 18.9},
}
STATEMENT = Conclusion.model_validate(
    {"claim": [{"id": "outcome", "question": "Which wins?", "kind": "statement", "answer": "A wins."}]}
)
A, B, ERRORS = ([f"runs.{run}.{name}" for run in range(5)] for name in ("a", "b", "errors"))
BEST = ["mean.a", "mean.b", "mean.c", "mean.d"]
SLOWEST = ["seconds.a", "seconds.b", "seconds.c", "seconds.d"]
Blank = dict[str, object]


class BlankReader:
    """Answers every question for blanks in the same way."""

    def __init__(self, *blanks: Blank) -> None:
        self.blanks = [{"blank": place, "paths": [], **blank} for place, blank in enumerate(blanks, 1)]

    async def read(self, system: str, user: str, form: type[BaseModel]) -> ReaderAnswer:
        return ReaderAnswer(json.dumps({"blanks": self.blanks}))


def decide(text: str, *blanks: Blank, results: object = RESULTS) -> ReadDecision:
    lookup = looked_up(STATEMENT, text, results)
    found = asyncio.run(
        find_hidden(
            Judge("file/reader", reader=BlankReader(*blanks)),
            text,
            cited_numbers(text),
            results,
            settings=lookup.settings,
            levels=lookup.levels,
        )
    )
    assert found is not None
    return found


def count(paths: list[str], condition: str, *compared_with: str) -> Blank:
    return {"paths": paths, "kind": "count", "condition": condition, "compared_with": list(compared_with)}


def place(subject: str, among: list[str], condition: str = "greater") -> Blank:
    return {"paths": [subject, *among], "kind": "rank", "condition": condition}


WINS = count(A, "greater", *B)
HONEST = [
    ("A beats B in 4 of 5 seeds.", WINS),
    ("A beats B in 4 out of the 5 seeds.", WINS),
    ("A wins in four of five runs.", WINS),
    ("A is more accurate in 80% of the runs.", WINS),
    ("A wins in four fifths of the runs.", WINS),
    ("A wins in at least 3 of 5 runs.", WINS),
    ("B beats A in 1 of 5 runs.", count(B, "greater", *A)),
    ("B beats A in only 20% of the runs.", count(A, "less", *B)),
    ("In 0 of 5 runs both are equal.", count(A, "equal", *B)),
    ("B stays below the best mean in 5/5 runs.", count(B, "less", "mean.a")),
    ("In total, 63 errors were made.", {"paths": ERRORS, "kind": "sum"}),
    ("C is the second best method.", place("mean.c", BEST)),
    ("D ranks third.", place("mean.d", BEST)),
    ("B takes 4th place.", place("mean.b", BEST)),
    ("A is the second-slowest method.", place("seconds.a", SLOWEST)),
    ("D has the 2nd lowest run time.", place("seconds.d", SLOWEST, "less")),
]
DISHONEST = [
    ("A beats B in 5 of 5 seeds.", WINS),
    ("A beats B in 4 of 4 seeds.", WINS),
    ("A beats B in 8 of 10 seeds.", WINS),
    ("A wins in five of five runs.", WINS),
    ("A is more accurate in 90% of the runs.", WINS),
    ("A wins in half of the runs.", WINS),
    ("A wins in at least 5 of 5 runs.", WINS),
    ("B beats A in 3 of 5 runs.", count(B, "greater", *A)),
    ("In 1 of 5 runs both are equal.", count(A, "equal", *B)),
    ("B reaches the best mean in 1/5 runs.", count(B, "greater", "mean.a")),
    ("In total, 36 errors were made.", {"paths": ERRORS, "kind": "sum"}),
    ("B is the second best method.", place("mean.b", BEST)),
    ("A ranks third.", place("mean.a", BEST)),
    ("C takes 1st place.", place("mean.c", BEST)),
    ("B is the second-slowest method.", place("seconds.b", SLOWEST)),
    ("C has the 2nd lowest run time.", place("seconds.c", SLOWEST, "less")),
]


@pytest.mark.parametrize(("text", "blank"), HONEST)
def test_what_the_results_count_is_met(text: str, blank: Blank) -> None:
    assert decide(text, blank).status == "met", decide(text, blank).evidence


@pytest.mark.parametrize(("text", "blank"), DISHONEST)
def test_what_they_do_not_count_is_unmet(text: str, blank: Blank) -> None:
    assert decide(text, blank).status == "unmet", decide(text, blank).evidence


def test_the_evidence_says_what_was_counted() -> None:
    assert decide("A beats B in 5 of 5 seeds.", WINS).evidence == "cites 5 of 5 for 4 of 5 results"
    found = decide("B is the second best method.", place("mean.b", BEST))
    assert found.evidence == "cites second for the place 4 of 4 results"


@pytest.mark.parametrize(
    "blank",
    [
        count(A, "greater"),
        count(A, "better", *B),
        count(A, "greater", *B[:3]),
        count(A, "greater", "runs.9.b"),
        count([], "greater", "0.5"),
        {"paths": A, "kind": "count"},
        {"paths": ["mean.a"], "kind": "rank", "condition": "greater"},
        {"paths": BEST, "kind": "rank", "condition": "equal"},
    ],
)
def test_a_count_without_results_or_a_condition_decides_nothing(blank: Blank) -> None:
    assert decide("A beats B in 4 of 5 seeds.", blank).status != "met"


@pytest.mark.parametrize(("stated", "status"), [("3", "met"), ("4", "unmet")])
def test_results_may_be_compared_with_a_number_of_the_text_that_is_hidden_too(
    stated: str, status: str
) -> None:
    text = f"With a limit of 0.90, A is above it in {stated} of 5 runs."
    cited = cited_numbers(text)
    names = [number.text for number in cited]
    blanks: list[Blank] = [{"setting": True}, {"setting": True}]
    blanks[names.index(f"{stated} of 5")] = count(A, "greater", f"[{names.index('0.90') + 1}]")
    judge = Judge("file/reader", reader=BlankReader(*blanks))
    found = asyncio.run(find_hidden(judge, text, cited, RESULTS, settings=cited))
    assert found is not None
    assert found.status == status, found.evidence


def test_two_results_that_are_equal_share_their_places() -> None:
    results = {"a": 0.9, "b": 0.8, "c": 0.8, "d": 0.7}
    for text, status in (("B ranks second.", "met"), ("B ranks third.", "met"), ("B ranks fourth.", "unmet")):
        assert decide(text, place("b", list(results)), results=results).status == status


@pytest.mark.parametrize(
    ("text", "kind", "status"),
    [
        ("A reaches an accuracy of 95%.", "", "unknown"),
        ("A reaches an accuracy of 95%.", "value", "unknown"),
        ("The 95% interval does not contain zero.", "level", "met"),
        ("The effect is significant at the 5% level.", "level", "met"),
    ],
)
def test_a_level_is_a_setting_only_if_the_reader_calls_it_one(text: str, kind: str, status: str) -> None:
    assert decide(text, {"setting": True, "kind": kind}).status == status


def test_a_place_is_no_setting() -> None:
    assert decide("C is the second best method.", {"setting": True}).status != "met"


def test_an_ordinal_that_counts_no_results_needs_no_reader() -> None:
    assert cited_numbers("The second run agrees with the first test.") == []
