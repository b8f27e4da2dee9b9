"""A limit in percent, and results that are shares or percentages."""

from __future__ import annotations

import pytest

from assay.grading.reading.grounding import measured_answer, measured_numbers
from assay.grading.reading.listed_results import list_results
from assay.tasks.claim_parts import ThresholdPart


@pytest.mark.parametrize(
    ("name", "value", "limit", "unit", "side"),
    [
        ("accuracy", 0.9212, 90.0, "%", "above"),
        ("accuracy", 92.12, 90.0, "%", "above"),
        ("accuracy", 0.6208, 50.0, "%", "above"),
        ("wer", 0.004, 1.0, "%", "below"),
        ("wer", 0.9212, 1.0, "%", None),
        ("loss", 0.9212, 0.5, "", "above"),
    ],
)
def test_a_limit_in_percent_is_compared_with_percentages(
    name: str, value: float, limit: float, unit: str, side: str | None
) -> None:
    part = ThresholdPart(id="x", measure=name, subject="A", limit=limit, unit=unit, answer="above")
    numbers = measured_numbers(part, {"A": [f"a.{name}"]}, list_results({"a": {name: value}}))
    answer = measured_answer(part, numbers)
    assert (answer.partition(":")[0] if side else None) == side
    assert side is not None or answer == "not stated"
