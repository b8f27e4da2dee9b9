"""Standard errors, against plain formulas."""

from __future__ import annotations

import math
from statistics import mean, stdev

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.benchmarks.mlrb.trusted.estimates import average, clustered, mean_of, ratio

values = st.lists(st.floats(-100, 100), min_size=2, max_size=30)


@settings(max_examples=50, deadline=None)
@given(values)
def test_the_mean_and_its_error_are_the_usual_ones(items: list[float]) -> None:
    found = mean_of(items)
    assert found.score == pytest.approx(mean(items), abs=1e-9)
    assert found.standard_error == pytest.approx(stdev(items) / math.sqrt(len(items)), abs=1e-9)


@settings(max_examples=50, deadline=None)
@given(values)
def test_groups_of_one_item_are_no_groups(items: list[float]) -> None:
    found, plain = clustered({str(at): [item] for at, item in enumerate(items)}), mean_of(items)
    assert (found.score, found.number) == (pytest.approx(plain.score), plain.number)
    assert found.standard_error == pytest.approx(plain.standard_error, abs=1e-9)


@settings(max_examples=50, deadline=None)
@given(values)
def test_a_ratio_to_equal_weights_is_a_mean(items: list[float]) -> None:
    found, plain = ratio([(2 * item, 2.0) for item in items]), mean_of(items)
    assert found.score == pytest.approx(plain.score, abs=1e-9)
    assert found.standard_error == pytest.approx(plain.standard_error, abs=1e-9)


def test_items_that_repeat_within_groups_make_the_error_larger() -> None:
    groups = {"easy": [1.0] * 50, "hard": [0.0] * 50, "mixed": [1.0, 0.0] * 25}
    assert (
        clustered(groups).standard_error
        > 4 * mean_of([each for group in groups.values() for each in group]).standard_error
    )


def test_an_average_adds_up_independent_errors_and_nothing_is_unknown() -> None:
    parts = {"one": mean_of([0.0, 1.0]), "other": mean_of([0.0, 1.0])}
    assert average(parts).standard_error == pytest.approx(parts["one"].standard_error / math.sqrt(2))
    assert mean_of([1.0]).standard_error == math.inf
    for empty in (lambda: mean_of([]), lambda: average({}), lambda: clustered({})):
        with pytest.raises(ValueError, match="unknown"):
            empty()
