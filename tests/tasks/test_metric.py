"""Comparing two numbers: right at zero, for negatives, for NaN, and with noise."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.rules.numbers import prediction_half_width, student_bound
from assay.tasks import Metric, look_up

finite = st.floats(allow_nan=False, allow_infinity=False, width=32)


@given(finite, st.floats(0, 10), st.floats(0, 1))
def test_gold_always_agrees_with_itself(gold: float, absolute: float, relative: float) -> None:
    assert Metric(name="m", path="m", absolute=absolute, relative=relative).agrees([gold], gold)


@given(finite, finite)
def test_without_tolerance_only_gold_agrees(gold: float, got: float) -> None:
    assert Metric(name="m", path="m").agrees([gold], got) == (gold == got)


@given(st.floats(0.1, 100), st.floats(0.01, 0.5))
def test_negative_gold_is_as_strict_as_positive(gold: float, relative: float) -> None:
    metric = Metric(name="m", path="m", relative=relative)
    outside = gold * (1 + 2 * relative)
    assert not metric.agrees([gold], outside)
    assert not metric.agrees([-gold], -outside)
    assert not metric.agrees([-gold], 1000.0)


def test_zero_gold_takes_the_exact_answer_and_refuses_others() -> None:
    metric = Metric(name="m", path="m", relative=0.05)
    assert metric.agrees([0.0], 0.0)
    assert not metric.agrees([0.0], 1e-9)


def test_nan_and_infinity_agree_only_with_themselves() -> None:
    metric = Metric(name="m", path="m", absolute=1e9)
    assert metric.agrees([math.nan], math.nan)
    assert not metric.agrees([1.0], math.nan)
    assert not metric.agrees([math.nan], 1.0)
    assert metric.agrees([math.inf], math.inf)
    assert not metric.agrees([math.inf], 1e300)
    assert not metric.agrees([1.0], -math.inf)


def test_noise_of_gold_runs_widens_the_tolerance() -> None:
    # Mean 10, standard deviation 1, three runs: t(0.975, 2) = 4.3027, times sqrt(4/3).
    assert prediction_half_width([9.0, 10.0, 11.0]) == pytest.approx(4.3027 * math.sqrt(4 / 3), rel=1e-4)
    assert Metric(name="m", path="m").agrees([9.0, 10.0, 11.0], 14.9)
    assert not Metric(name="m", path="m").agrees([9.0, 10.0, 11.0], 15.1)


@pytest.mark.parametrize("confidence", [0.5, 0.9, 0.95, 0.99, 0.9999])
def test_students_bound_is_scipys_quantile(confidence: float) -> None:
    from scipy.stats import t

    for freedom in (*range(1, 60), 99, 500, 1001):
        expected = float(t.ppf(0.5 + confidence / 2, freedom))
        assert student_bound(freedom, confidence) == pytest.approx(expected, rel=1e-9)


def test_look_up_follows_keys_and_places() -> None:
    assert look_up({"a": [{"b": 2}]}, "a.0.b") == 2.0


@pytest.mark.parametrize("results", [{}, {"a": "1"}, {"a": True}, {"a": None}, {"a": [1]}, [1], 3, None])
def test_look_up_says_what_is_missing(results: object) -> None:
    with pytest.raises(KeyError, match="a"):
        look_up(results, "a")
