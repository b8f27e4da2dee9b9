"""A stated number counts only in the unit of the truth, and never by the more convenient of two units."""

from __future__ import annotations

import pytest

from assay.grading.reading.stated_values import in_unit
from assay.tasks.claim_parts import ValuePart


def part(value: float, unit: str, tolerance: float = 0.05) -> ValuePart:
    return ValuePart(
        kind="value", id="level", measure="size", subject="A", value=value, unit=unit, tolerance=tolerance
    )


@pytest.mark.parametrize(
    ("value", "unit", "tolerance", "text", "stated"),
    [
        (0.0, "%", 5.0, "90%", 90.0),
        (0.0, "%", 5.0, "0.9", None),
        (0.1, "%", 0.1, "10%", 10.0),
        (80.1, "%", 0.5, "80.1 ± 0.3%", 80.1),
        (80.1, "%", 0.5, "80.1 per cent", 80.1),
        (80.1, "%", 0.5, "80.1 percentage points", 80.1),
        (80.1, "%", 0.5, "0.801", None),
        (80.1, "%", 0.5, "about 80.1", 80.1),
        (80.1, "%", 0.5, "0.5", 0.5),
        (0.67, "", 0.01, "67%", 0.67),
        (0.67, "", 0.01, "0.67%", 0.0067),
        (0.67, "", 0.01, "67", None),
        (0.67, "", 0.01, "~0.67", 0.67),
        (2.16, "", 0.01, "2.16×", 2.16),
        (2.16, "", 0.01, "2.16 times", 2.16),
        (1.5, "", 0.1, "1.5", 1.5),
        (3.2, "hours", 0.1, "3.2 minutes", 3.2 / 60),
        (3.2, "hours", 0.1, "192 minutes", 3.2),
        (3.2, "hours", 0.1, "3.2", 3.2),
        (3.2, "hours", 0.1, "3.2 GB", None),
        (5.0, "GB", 0.1, "5 MB", 0.005),
        (5.0, "GB", 0.1, "5000 MB", 5.0),
        (2.098, "ms", 0.001, "2.098 s", 2098.0),
        (2.098, "ms", 0.001, "0.002098 s", 2.098),
        (94.2, "million", 0.1, "94.2 million", 94.2),
        (94.2, "million", 0.1, "94.2M", 94.2),
        (94.2, "million", 0.1, "94.2", 94.2),
        (94.2, "million", 0.1, "94.2 thousand", 94_200.0),
        (12.0, "edges", 0.1, "12 edges", 12.0),
    ],
)
def test_a_number_is_read_in_the_unit_of_the_truth(
    value: float, unit: str, tolerance: float, text: str, stated: float | None
) -> None:
    found = in_unit(part(value, unit, tolerance), text)
    assert found == (stated if stated is None else pytest.approx(stated))


def test_a_percent_sign_that_the_reader_left_out_is_read_from_its_quote() -> None:
    quote = "the accuracy falls by 0.1% to 79.9 percent"
    assert in_unit(part(0.1, "%", 0.1), "0.1", quote) == 0.1
    assert in_unit(part(0.799, ""), "79.9", quote) == pytest.approx(0.799)
    assert in_unit(part(0.0, "%", 5.0), "0.9", "it is 0.95% and 0.9") is None
