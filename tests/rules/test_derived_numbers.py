"""Counts that are re-made shares of a stated whole, and means of whole tables; no other numbers."""

from __future__ import annotations

import pytest

from assay.rules.cited import cited_numbers
from assay.rules.remade import Numbers

RESULTS = {
    "accuracy": {
        "real": {"outside": 561 / 590, "inside": 555 / 590},
        "permuted": {"outside": 371 / 590, "inside": 234 / 590},
    },
    "optimism": {"real": 6 / 590, "permuted": 137 / 590},
}


def invented(text: str, results: object = RESULTS) -> list[str]:
    """The cited numbers that were not re-made."""
    numbers = Numbers(results)
    results_cited = [cited for cited in cited_numbers(text) if cited.context in ("result", "plain")]
    return [cited.text for cited in results_cited if not numbers.has(cited)]


@pytest.mark.parametrize(
    "text",
    [
        "Of the 590 predictions in each condition, 371 are right with selection outside and 234 inside.",
        "On average over the 4 conditions the accuracy is 0.729.",
    ],
)
def test_a_number_that_follows_from_the_results_is_no_invention(text: str) -> None:
    assert invented(text) == []


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("Of the 590 predictions in each condition, 391 are right outside.", "391"),
        ("Of the 590 predictions some are right. There are 371 in all.", "371"),
        ("Of the 290 predictions, 371 are right.", "371"),
        ("Of the 590 predictions 371.5 are right.", "371.5"),
        ("On average the accuracy is 0.742.", "0.742"),
    ],
)
def test_a_number_that_does_not_follow_is_one(text: str, number: str) -> None:
    assert invented(text) == [number]


@pytest.mark.parametrize(
    "results",
    [
        {"accuracy": {"a": 0.9, "b": 0.5}, "loss": {"a": 0.31, "b": 0.13}},
        {"all": {"accuracy": {"a": 0.9, "b": 0.5}, "loss": {"a": 0.31}, "rate": {"b": 0.13}}},
    ],
)
def test_measures_that_are_no_table_have_no_common_mean(results: object) -> None:
    assert invented("The mean is 0.46.", results) == ["0.46"]


def test_few_fresh_numbers_follow_from_a_table_of_six() -> None:
    shares = [f"0.{number:03d}" for number in range(1000)]
    counts = range(60, 590)
    found = sum(not invented(f"It is {share} here.") for share in shares)
    of_whole = sum(not invented(f"Of the 590 predictions {count} are right.") for count in counts)
    assert found < 0.08 * len(shares)
    assert of_whole < 0.1 * len(counts)
