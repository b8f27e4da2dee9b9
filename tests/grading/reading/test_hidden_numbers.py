"""Numbers of a conclusion that no rule can place: a reader finds their entries without seeing them."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Mapping

import pytest
from pydantic import BaseModel

from assay.grading import Judge
from assay.grading.judge.reader import ReaderAnswer
from assay.grading.reading.blank_questions import MOST_BLANKS
from assay.grading.reading.conclusions import ReadDecision
from assay.grading.reading.hidden_numbers import find_hidden, hide, place_blanks
from assay.grading.reading.listed_results import LONGEST_LIST, MOST_LISTED, list_results
from assay.rules.cited import cited_numbers
from assay.rules.cited_number import Cited
from tests.rules.placing import EntryReader

RESULTS = {
    "cells": [
        {"method": "mean", "f1_at_0.5": 0.4288, "error": 0.003245},
        {"method": "median", "f1_at_0.5": 0.8612, "error": 0.0021},
    ],
    "seconds": 12.5,
}
TEXT = "At 0.5 the median gains 0.43 in F1; the error of the mean is 0.0033."


def numbers(*texts: str) -> list[Cited]:
    return [number for number in cited_numbers(TEXT) if number.text in texts]


def decide(paths: Mapping[int, list[str]], *, settings: tuple[int, ...] = (2,)) -> ReadDecision:
    kinds = {blank: "value" if len(named) == 1 else "difference" for blank, named in paths.items()}
    reader = EntryReader({**paths, 2: []}, settings, kinds)
    cited = [*numbers("0.43"), *numbers("0.5", "0.0033")]
    found = asyncio.run(find_hidden(Judge("file/reader", reader=reader), TEXT, cited, RESULTS))
    assert found is not None
    assert "0.43" not in reader.shown.partition("Results:")[0]
    assert "At [2] the median gains [1] in F1; the error of the mean is [3]." in reader.shown
    return found


GAIN = ["cells.1.f1_at_0.5", "cells.0.f1_at_0.5"]


def test_a_difference_of_two_named_entries_is_found_although_no_rule_finds_it() -> None:
    found = decide({1: GAIN, 3: ["cells.0.error"]})
    assert (found.status, found.evidence) == ("met", "3 of 3 hidden numbers found where the text cites them")


def test_a_number_that_differs_from_its_entry_is_unmet() -> None:
    found = decide({1: GAIN, 3: ["cells.1.error"]})
    assert (found.status, found.evidence) == ("unmet", "cites 0.0033 for cells.1.error = 0.0021")


def test_one_number_without_an_entry_is_open_and_most_of_them_are_unmet() -> None:
    found = decide({1: [], 3: ["cells.0.error"]})
    assert (found.status, "not found: 0.43" in found.evidence) == ("unknown", True)
    found = decide({1: [], 3: []})
    assert found.status == "unmet"
    assert "cites 0.43, which is not among the re-made numbers" in found.evidence


def test_a_number_stays_unknown_where_the_reader_finds_no_entry() -> None:
    found = decide({1: GAIN, 3: []})
    assert (found.status, "not found: 0.0033" in found.evidence) == ("unknown", True)


def test_a_number_in_the_name_of_an_entry_counts_only_as_a_setting() -> None:
    found = decide({1: GAIN, 3: ["cells.0.error"]}, settings=())
    assert (found.status, "not found: 0.5" in found.evidence) == ("unknown", True)
    assert decide({1: GAIN, 3: ["cells.0.error"]}, settings=(1, 2, 3)).status == "met"


def test_an_invented_number_that_stands_in_a_name_or_a_constant_is_unmet() -> None:
    results = {"accuracy": 0.782, "share_below_0.93": 0.92, "known": {"sizes": ["0.93", "150"]}}
    text = "The accuracy is 0.93 on sets of size 150."
    cited = cited_numbers(text)
    for constants in ((), ("known",)):
        reader = EntryReader({1: ["accuracy"], 2: ["known.sizes.1"]}, settings=(2,))
        judge = Judge("file/reader", reader=reader)
        found = asyncio.run(find_hidden(judge, text, cited, results, constants=constants))
        assert found is not None
        assert (found.status, found.evidence) == ("unmet", "cites 0.93 for accuracy = 0.782")
    reader = EntryReader({1: ["known.sizes.0"], 2: ["known.sizes.1"]}, settings=(2,))
    found = asyncio.run(
        find_hidden(Judge("file/reader", reader=reader), text, cited, results, constants=("known",))
    )
    assert found is not None
    assert found.status == "unmet"
    assert "known.sizes.0, which the program writes as a constant" in found.evidence


def test_a_reader_that_names_everything_proves_nothing() -> None:
    every = list(list_results(RESULTS).numbers)
    assert decide({1: every, 3: every}).status == "unknown"


def test_a_number_inside_a_longer_one_is_hidden_apart() -> None:
    text = "It is 58% here, and 0.58 there; 58% again."
    blanks = place_blanks(text, cited_numbers(text))
    assert hide(text, blanks) == "It is [1]% here, and [2] there; [3]% again."


def test_results_are_listed_in_order_with_their_labels_and_of_a_series_what_sums_it_up() -> None:
    listed = list_results({"curve": list(range(100)), **RESULTS, "ok": True})
    assert listed.text.splitlines()[:8] == [
        "curve.mean of 100 = 49.5",
        "curve.median of 100 = 49.5",
        "curve.least of 100 = 0",
        "curve.greatest of 100 = 99",
        "curve.first of 100 = 0",
        "curve.last of 100 = 99",
        "cells.0.method = “mean”",
        "cells.0.f1_at_0.5 = 0.4288",
    ]
    assert listed.can_be_shown
    many = list_results({chr(ord("一") + place): [place, place] for place in range(MOST_LISTED)})
    assert not many.can_be_shown


def test_entries_below_a_very_long_name_are_not_listed_and_half_characters_are_spelled_out() -> None:
    """Each entry repeats the names above it: 20,000 entries below 20,000 characters are 400 MB."""
    listed = list_results({"n" * 20_000: [True] * 20_000, "error\ud800": 0.25})
    assert listed.text == "error\\ud800 = 0.25"


def test_a_name_cannot_show_a_line_of_its_own_and_very_much_text_is_cut() -> None:
    assert list_results({"a = 1\nb": 2.0}).text == "a = 1\\nb = 2"
    listed = list_results({f"{place} " + "n" * 200: "a long text" for place in range(2_000)} | {"last": 1.0})
    assert listed.is_partial
    assert len(listed.text) <= LONGEST_LIST


def test_rows_of_a_long_table_are_summed_up_before_nothing_is_shown_and_then_nothing_is_unmet() -> None:
    rows = [{"seed": seed, "error": seed / 7, "score": seed / 11} for seed in range(400)]
    results = {"mean_error": 0.4288, "runs": rows}
    listed = list_results(results)
    assert (listed.is_partial, len(listed.numbers)) == (True, 19)
    assert listed.numbers["runs.*.seed.mean of 400"] == 199.5
    assert not list_results({"runs": rows[:100]}).is_partial
    text = "The mean error is 0.43, and once it was 0.9271."
    cited = cited_numbers(text)
    reader = EntryReader({1: ["mean_error"], 2: []})
    judge = Judge("file/reader", reader=reader)
    found = asyncio.run(find_hidden(judge, text, cited, results))
    assert found is not None
    assert (found.status, "not found: 0.9271" in found.evidence) == ("unknown", True)


def test_a_number_may_be_the_mean_of_many_named_entries() -> None:
    results = {"error": {str(place): value for place, value in enumerate((0.11, 0.24, 0.31, 0.4, 0.54))}}
    text = "The mean error is 0.32."
    paths = {1: [f"error.{place}" for place in range(5)]}
    found = asyncio.run(
        find_hidden(
            Judge("file/reader", reader=EntryReader(paths, kind="mean")), text, cited_numbers(text), results
        )
    )
    assert found is not None
    assert found.status == "met"
    other = "The mean error is 0.35."
    found = asyncio.run(
        find_hidden(
            Judge("file/reader", reader=EntryReader(paths, kind="mean")), other, cited_numbers(other), results
        )
    )
    assert found is not None
    assert found.status == "unmet"


@pytest.mark.parametrize(
    ("text", "value", "kind", "status"),
    [
        ("B reaches an accuracy of only 19.5% (no run ended with an error).", 0.8051, "value", "unmet"),
        ("B has an error of 19.5%.", 0.8051, "rest", "met"),
        ("B has an error of 19.5%.", 80.51, "rest", "met"),
        ("B has an error of 80.5%.", 0.8051, "rest", "unmet"),
    ],
)
def test_what_is_missing_to_one_counts_where_the_reader_says_so(
    text: str, value: float, kind: str, status: str
) -> None:
    results = {"b": {"accuracy": value}}
    judge = Judge("file/reader", reader=EntryReader({1: ["b.accuracy"]}, kind=kind))
    found = asyncio.run(find_hidden(judge, text, cited_numbers(text), results))
    assert found is not None
    assert found.status == status, found.evidence


@pytest.mark.parametrize(
    ("text", "kind", "status"),
    [
        ("B is 20 points better.", "difference", "met"),
        ("B is 80 points better.", "difference", "unmet"),
        ("B is 70 points better.", "difference", "unmet"),
        ("B is 40 points better.", "difference", "unmet"),
        ("B is 75% better.", "change", "unmet"),
        ("B is 33% better.", "change", "met"),
        ("B is 1.33 times as good.", "ratio", "met"),
        ("B is 1.4 times as good.", "mean", "unmet"),
        ("Both reach 0.70 on average.", "mean", "met"),
        ("B reaches 80%.", "value", "unknown"),
        ("B is 20 points better.", "", "unknown"),
        ("B is 20 points better.", "sum", "unknown"),
    ],
)
def test_a_number_must_follow_in_the_way_that_the_reader_names(text: str, kind: str, status: str) -> None:
    results = {"accuracy": {"a": 0.6, "b": 0.8}}
    reader = EntryReader({1: ["accuracy.a", "accuracy.b"]}, kind=kind)
    found = asyncio.run(find_hidden(Judge("file/reader", reader=reader), text, cited_numbers(text), results))
    assert found is not None
    assert found.status == status, found.evidence


@pytest.mark.parametrize("kind", ["ratio", "change"])
def test_a_ratio_of_two_entries_that_are_zero_decides_nothing(kind: str) -> None:
    text = "It fails 2 times as often."
    reader = EntryReader({1: ["failures.first", "failures.second"]}, kind=kind)
    found = asyncio.run(
        find_hidden(
            Judge("file/reader", reader=reader),
            text,
            cited_numbers(text),
            {"failures": {"first": 0, "second": 0}},
        )
    )
    assert found is not None
    assert (found.status, "not found: 2" in found.evidence) == ("unknown", True)


def test_each_place_of_a_number_has_a_blank_of_its_own() -> None:
    text = "B reaches an accuracy of only 30 points. A is more accurate than B by 30 points."
    results = {"accuracy": {"a": 0.9212, "b": 0.6208}}
    paths = {1: ["accuracy.b"], 2: ["accuracy.a", "accuracy.b"]}
    reader = EntryReader(paths, kind={1: "value", 2: "difference"})
    found = asyncio.run(find_hidden(Judge("file/reader", reader=reader), text, cited_numbers(text), results))
    assert found is not None
    assert (found.status, found.evidence) == ("unmet", "cites 30 points for accuracy.b = 0.6208")


@pytest.mark.parametrize(
    "name", ["2D", "F1", "1st", "ResNet18", "x86_64", "seed0", "v2", "4.3*10^-5", "4.3e−5", "0,30"]
)
def test_every_number_of_a_text_can_be_hidden(name: str) -> None:
    text = f"A is more accurate than B on {name} data."
    cited = cited_numbers(text)
    assert cited
    assert [number for number, _ in place_blanks(text, cited)] == cited


def test_a_number_in_a_name_may_be_a_part_of_the_name() -> None:
    text = "A is more accurate than B on this 2D data."
    reader = EntryReader({1: []}, settings=(1,))
    found = asyncio.run(
        find_hidden(Judge("file/reader", reader=reader), text, cited_numbers(text), {"accuracy": 0.9})
    )
    assert found is not None
    assert found.status == "met"


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("A has 0.921 ± 0.007.", "met"),
        ("A has 0.921 ± 0.014.", "unmet"),
    ],
)
def test_a_spread_follows_from_several_results(text: str, status: str) -> None:
    results = {"runs": [{"accuracy": 0.914}, {"accuracy": 0.921}, {"accuracy": 0.928}]}
    paths = [f"runs.{run}.accuracy" for run in range(3)]
    reader = EntryReader({1: paths, 2: paths}, kind={1: "mean", 2: "standard deviation"})
    found = asyncio.run(find_hidden(Judge("file/reader", reader=reader), text, cited_numbers(text), results))
    assert found is not None
    assert found.status == status, found.evidence


class PartReader:
    """Answers for the blanks that a question asks for, and keeps every question."""

    def __init__(self, paths: Mapping[int, list[str]]) -> None:
        self.paths = paths
        self.questions: list[str] = []

    async def read(self, system: str, user: str, form: type[BaseModel]) -> ReaderAnswer:
        self.questions.append(user)
        asked = re.search(r"Answer only for the blanks \[(\d+)\] to \[(\d+)\]", user)
        first, last = map(int, asked.groups()) if asked else (1, len(self.paths))
        blanks = [
            {"blank": blank, "paths": paths, "kind": "difference"}
            for blank, paths in self.paths.items()
            if first <= blank <= last
        ]
        return ReaderAnswer(json.dumps({"blanks": blanks}))


def gains(count: int) -> tuple[str, dict[str, object], dict[int, list[str]]]:
    """A text that states so many differences of results, the results, and the entries of each difference."""
    before = {
        f"task{chr(97 + place // 26)}{chr(97 + place % 26)}": 0.1 + place / 1_000 for place in range(count)
    }
    after = {name: value + 0.2 + place**2 / 100_000 for place, (name, value) in enumerate(before.items())}
    sentences = [f"On {name} it gains {after[name] - before[name]:.5f}." for name in before]
    paths = {place: [f"after.{name}", f"before.{name}"] for place, name in enumerate(before, 1)}
    return " ".join(sentences), {"before": before, "after": after}, paths


def test_a_text_with_more_numbers_than_one_question_asks_for_is_read_in_parts() -> None:
    text, results, paths = gains(60)
    reader = PartReader(paths)
    found = asyncio.run(find_hidden(Judge("file/reader", reader=reader), text, cited_numbers(text), results))
    assert found is not None
    assert (found.status, found.evidence) == (
        "met",
        "60 of 60 hidden numbers found where the text cites them",
    )
    assert len(reader.questions) == 4
    assert all("gains [1]" in question and "gains [60]" in question for question in reader.questions)
    assert sum("[1] to [40]" in question for question in reader.questions) == 2


def test_a_wrong_number_of_a_later_part_is_unmet() -> None:
    text, results, paths = gains(60)
    wrong = text.replace("On taskcc it gains 0.22916.", "On taskcc it gains 0.32916.")
    assert wrong != text
    judge = Judge("file/reader", reader=PartReader(paths))
    found = asyncio.run(find_hidden(judge, wrong, cited_numbers(wrong), results))
    assert found is not None
    assert found.status == "unmet"
    assert "cites 0.32916 for the difference of after.taskcc" in found.evidence


def test_more_numbers_than_five_questions_ask_for_are_not_read() -> None:
    text, results, paths = gains(MOST_BLANKS + 1)
    reader = PartReader(paths)
    judge = Judge("file/reader", reader=reader)
    assert asyncio.run(find_hidden(judge, text, cited_numbers(text), results)) is None
    assert reader.questions == []


@pytest.mark.parametrize(
    ("results", "text", "kind", "status"),
    [
        ({"a": 4.491, "b": 3.547}, "B is lower by 0.94 points.", "difference", "met"),
        ({"a": 4.491, "b": 3.547}, "B is lower by 0.94%.", "difference", "met"),
        ({"a": 4.491, "b": 3.547}, "B is lower by 0.84 points.", "difference", "unmet"),
        ({"a": 0.991, "b": 0.047}, "B is lower by 0.94 points.", "difference", "unknown"),
        ({"a": 91.4, "b": 90.9}, "A leads by 0.5 points.", "difference", "met"),
        ({"a": 0.914, "b": 0.909}, "A leads by 0.5 points.", "difference", "met"),
        ({"a": 4.491, "b": 3.547}, "The change is 0.27%.", "change", "unknown"),
    ],
)
def test_the_size_of_the_results_decides_whether_a_difference_counts_in_percent(
    results: dict[str, float], text: str, kind: str, status: str
) -> None:
    cited = cited_numbers(text)
    reader = EntryReader({1: ["a", "b"]}, kind=kind)
    found = asyncio.run(find_hidden(Judge("file/reader", reader=reader), text, cited, results))
    assert found is not None
    assert found.status == status, found
