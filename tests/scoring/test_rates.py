from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import UsageError
from assay.scoring import Method, interval, make_rate


def test_a_published_wilson_interval() -> None:
    """Newcombe (1998), Statistics in Medicine 17, table I: 15 of 148."""
    low, high = interval(15, 148)

    assert (low, high) == pytest.approx((0.0624, 0.1605), abs=5e-5)


def test_a_published_exact_interval() -> None:
    """Newcombe (1998), the same table: 81 of 263 by Clopper and Pearson."""
    low, high = interval(81, 263, method="exact")

    assert (low, high) == pytest.approx((0.2527, 0.3676), abs=5e-5)


def test_published_bayesian_intervals() -> None:
    """Brown, Cai and DasGupta (2001), Statistical Science 16, table 5: Jeffreys' interval, 2 and 3 of 7."""
    assert interval(2, 7, method="jeffreys") == pytest.approx((0.065, 0.648), abs=5e-4)
    assert interval(3, 7, method="jeffreys") == pytest.approx((0.139, 0.766), abs=6e-4)


def test_a_flat_prior_gives_laplaces_rule() -> None:
    """With none of n the posterior is Beta(1, n + 1), whose quantiles have a closed form."""
    low, high = interval(0, 9, method="uniform")

    assert (low, high) == pytest.approx((0.0, 1 - 0.025 ** (1 / 10)))


@given(st.integers(2, 400).flatmap(lambda n: st.tuples(st.integers(1, n - 1), st.just(n))))
def test_jeffreys_interval_agrees_with_statsmodels(counts: tuple[int, int]) -> None:
    from statsmodels.stats.proportion import proportion_confint

    assert interval(*counts, method="jeffreys") == pytest.approx(
        proportion_confint(*counts, method="jeffreys"), abs=1e-9
    )


@given(st.integers(1, 400).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_both_intervals_agree_with_statsmodels(counts: tuple[int, int]) -> None:
    from statsmodels.stats.proportion import proportion_confint

    methods: list[tuple[Method, str]] = [("wilson", "wilson"), ("exact", "beta")]
    for ours, theirs in methods:
        assert interval(*counts, method=ours) == pytest.approx(
            proportion_confint(*counts, method=theirs), abs=1e-9
        )


@given(st.integers(0, 60), st.integers(0, 60), st.integers(0, 20), st.integers(0, 20))
def test_a_rate_lies_within_its_interval_and_bounds(
    passed: int, failed: int, sandbox: int, model: int
) -> None:
    rate = make_rate(passed, passed + failed + sandbox + model, {"sandbox": sandbox, "model": model})

    assert rate.scored == passed + failed
    assert rate.unknown == sandbox + model == sum(rate.missing.values())
    if rate.attempts == 0:
        assert rate.rate is None
        assert rate.low is None
        return
    assert rate.rate is not None
    assert rate.low is not None
    assert rate.high is not None
    assert rate.bound_high is not None
    assert 0 <= rate.low <= rate.rate <= rate.high <= 1
    assert rate.bound_low == rate.rate <= rate.bound_high <= 1
    if rate.rate_scored is not None:
        assert rate.rate <= rate.rate_scored
        assert rate.low_scored is not None
        assert rate.low_scored <= rate.rate_scored


def test_a_rate_says_what_it_would_be_had_unknowns_failed_or_passed() -> None:
    rate = make_rate(6, 10, {"sandbox": 1, "model": 1})

    assert (rate.rate, rate.rate_scored, rate.bound_low, rate.bound_high) == (0.6, 0.75, 0.6, 0.8)


def test_nothing_scored_gives_no_rate_of_the_scored() -> None:
    rate = make_rate(0, 2, {"model": 2})

    assert (rate.rate, rate.rate_scored, rate.low_scored, rate.bound_high) == (0.0, None, None, 1.0)


def test_counts_that_cannot_be_are_refused() -> None:
    with pytest.raises(UsageError, match="cannot be"):
        make_rate(3, 4, {"model": 2})
