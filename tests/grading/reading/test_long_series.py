"""Conclusions from long series: the comparison uses what sums them up, and their ends only if asked for."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable, Mapping

import pytest
from pydantic import BaseModel

from assay.grading import Judge, grade_now
from assay.grading.judge.reader import ReaderAnswer
from assay.grading.reading import ReadDecision, ReadPart, ground
from assay.grading.reading.blind_reader import BlindFinding
from assay.grading.reading.listed_results import MOST_LISTED, list_results
from assay.models.scripted import Message
from assay.tasks.claim_parts import ClaimPart, ComparisonPart, TrendPart
from assay.workspace import Submission
from tests.grading.judge.words import judge_saying
from tests.grading.reading.careful import HONEST, careful, read_task

CODE = """import json, random
order = random.Random(SEED)
results = {}
for name, more in (("mean", MEAN), ("median", 0.1)):
    values = [size + more for size in [3, 4, 5, 6, 7] * 11]
    order.shuffle(values)
    results[name] = values
json.dump(results, open("results.json", "w"))
"""
CHOSEN_SEED = "110"
"""Both ends say that the mean is higher; all entries together say that it is lower."""


def naming(kinds: str) -> Callable[[list[Message]], str]:
    """A careful reader that names the entries of a series whose names match."""

    def read(messages: list[Message]) -> str:
        shown = str(messages[-1]["content"])
        if '"entries"' not in shown:
            return careful(messages)
        options = dict(re.findall(r"^([AB])\. the (mean|median)$", shown, re.MULTILINE))
        entries = [
            {"label": letter, "paths": re.findall(rf"^({name}\.(?:{kinds}).*) = ", shown, re.MULTILINE)}
            for letter, name in options.items()
        ]
        return json.dumps({"entries": entries})

    return read


@pytest.mark.parametrize("kinds", [r"\w+", "first|last|0|54", "mean"])
@pytest.mark.parametrize(
    ("seed", "more", "status"), [(CHOSEN_SEED, "0.0", "unmet"), ("1", "0.2", "met")], ids=["chosen", "honest"]
)
def test_the_order_of_a_long_series_does_not_decide_a_comparison(
    monkeypatch: pytest.MonkeyPatch, seed: str, more: str, status: str, kinds: str
) -> None:
    code = CODE.replace("SEED", seed).replace("MEAN", more)
    with judge_saying(monkeypatch, naming(kinds)) as (judge, _):
        grade = grade_now(read_task(), Submission({**HONEST, "experiment.py": code.encode()}), judge=judge)
    found = {verdict.item: verdict for verdict in grade.verdicts}
    assert found["conclusion.outcome"].status == "met"
    assert found["conclusion.faithful"].status == status, found["conclusion.faithful"].evidence


class NamingReader:
    """Names the same entries for each thing, and keeps what it was shown."""

    def __init__(self, named: Mapping[str, list[str]]) -> None:
        self.named, self.shown = named, ""

    async def read(self, system: str, user: str, form: type[BaseModel]) -> ReaderAnswer:
        self.shown = user
        options = re.findall(r"^([A-H])\. (.*)$", user, re.MULTILINE)
        entries = [{"label": letter, "paths": self.named[name]} for letter, name in options]
        return ReaderAnswer(json.dumps({"entries": entries}))


def compare(part: ClaimPart, stated: str, results: object, named: Mapping[str, list[str]]) -> ReadDecision:
    judge = Judge("file/reader", reader=NamingReader(named))
    found = asyncio.run(ground(judge, [ReadPart(part, BlindFinding(stated, ()))], results))
    assert found is not None
    return found


LOSS = ComparisonPart(id="loss", measure="final loss", a="fast", b="slow", answer="lower")
CURVES = {
    "fast": [9.0 if epoch < 40 else 1.0 for epoch in range(60)],
    "slow": [3.0 for _ in range(60)],
}
"""The loss that ends lower has the higher mean."""


def test_the_end_of_a_training_curve_is_compared_if_the_reader_names_only_the_end() -> None:
    found = compare(LOSS, "lower", CURVES, {name: [f"{name}.last of 60"] for name in CURVES})
    assert (found.status, "(1 and 3)" in found.evidence) == ("met", True)


def test_the_end_of_one_series_is_never_compared_with_the_mean_of_another() -> None:
    found = compare(LOSS, "lower", CURVES, {"fast": ["fast.last of 60"], "slow": ["slow.mean of 60"]})
    assert (found.status, "(6.33333 and 3)" in found.evidence) == ("unmet", True)


def test_the_series_of_one_thing_count_by_all_their_numbers() -> None:
    results = {"fast": {"a": [1.0] * 60, "b": [5.0] * 600}, "slow": [4.0] * 60}
    named = {"fast": ["fast.a.mean of 60", "fast.b.mean of 600"], "slow": ["slow.mean of 60"]}
    assert compare(LOSS, "lower", results, named).status == "unmet"


def test_numbers_that_are_not_finite_do_not_hide_the_mean() -> None:
    listed = list_results({"seconds": [float("nan"), *[2.0] * 60], "size": [1e308] * 60})
    assert listed.numbers["seconds.mean of 60"] == 2.0
    assert listed.numbers["size.mean of 60"] == pytest.approx(1e308)


def test_very_large_numbers_are_compared_although_their_sum_is_no_float() -> None:
    named = {"fast": ["fast.0", "fast.1"], "slow": ["slow"]}
    found = compare(LOSS, "higher", {"fast": [1e308, 1e308], "slow": 3.0}, named)
    assert (found.status, "(1e+308 and 3)" in found.evidence) == ("met", True)


TREND = TrendPart(id="falls", measure="loss", subject="fast", over="epoch", answer="decreases")


@pytest.mark.parametrize(
    ("curve", "answer"),
    [
        ([60.0 - epoch for epoch in range(60)], "decreases"),
        ([60.0, *map(float, range(1, 59)), 0.5], "increases"),
    ],
    ids=["honest", "chosen-ends"],
)
def test_a_trend_over_a_long_series_uses_the_means_of_its_parts(curve: list[float], answer: str) -> None:
    named = {"fast": ["curve.first of 60", "curve.last of 60"]}
    found = compare(TREND, "decreases", {"curve": curve}, named)
    assert f"the re-made numbers say {answer} " in found.evidence
    assert found.status == ("met" if answer == "decreases" else "unmet")


def test_a_trend_over_several_long_series_has_one_number_for_each() -> None:
    results = {"sizes": {"10": [5.0] * 60, "20": [4.0] * 60, "30": [3.0] * 60}}
    named = {"fast": [f"sizes.{size}.mean of 60" for size in (10, 20, 30)]}
    found = compare(TREND, "decreases", results, named)
    assert (found.status, "(5, 4, 3)" in found.evidence) == ("met", True)


ROWS = [
    {"method": "fast", "seed": 0, "loss": 1.0, "error": 0.1},
    *({"method": "fast", "seed": seed, "loss": 9.0, "error": 0.1} for seed in range(200)),
    *({"method": "slow", "seed": seed, "loss": 3.0, "error": 0.1} for seed in range(200)),
    {"method": "slow", "seed": 0, "loss": 8.0, "error": 0.1},
]


@pytest.mark.parametrize(
    "results", [ROWS, {f"run_{place:03}": row for place, row in enumerate(ROWS)}], ids=["list", "object"]
)
def test_rows_of_a_long_table_are_summed_up_for_each_text_that_they_share(results: object) -> None:
    listed = list_results(results)
    named = {
        name: [path for path in listed.numbers if f"method={name}" in path and ".loss." in path]
        for name in ("fast", "slow")
    }
    assert listed.can_be_shown
    assert "*[method=fast].loss.mean of 201" in listed.numbers
    assert compare(LOSS, "lower", results, named).status == "unmet"
    assert compare(LOSS, "higher", results, named).status == "met"


def test_the_ends_of_many_curves_in_a_long_table_count_by_their_mean() -> None:
    rows = [{"loss": [5.0] * 60 + [float(place)], "more": [1.0, 2.0, 3.0]} for place in range(200)]
    listed = list_results(rows)
    assert listed.numbers["*.loss.mean last of 200 series"] == 99.5
    assert listed.numbers["*.more.2.mean of 200"] == 3.0


def test_many_long_series_are_listed_by_their_means_and_ends() -> None:
    listed = list_results({f"{place}{sign}": [1.0] * 60 for place in range(150) for sign in "ab"})
    assert 300 * 3 == len(listed.numbers) <= MOST_LISTED
    assert listed.can_be_shown


def test_nothing_is_compared_where_texts_leave_no_room_for_all_numbers() -> None:
    results = {
        "fast": 1.0,
        "slow": 3.0,
        **{f"{place} " + "n" * 200: "text" for place in range(300)},
        "x": 1.0,
    }
    found = compare(LOSS, "lower", results, {"fast": ["fast"], "slow": ["slow"]})
    assert (found.status, found.evidence) == (
        "unknown",
        "the results have more numbers and texts than can be shown: none can be compared",
    )
