"""How many attempts tell the scores of two agents apart, held against statsmodels."""

from __future__ import annotations

import math

import pytest

from assay.errors import UsageError
from assay.scoring import attempts_needed, score_power, shown_elsewhere


@pytest.mark.parametrize(("difference", "spread"), [(1.0, 1.0), (0.5, 1.0), (-2.0, 1.0), (0.05, 0.02)])
def test_the_fewest_attempts_are_those_of_statsmodels(difference: float, spread: float) -> None:
    from statsmodels.stats.power import TTestIndPower

    exact = TTestIndPower().solve_power(effect_size=abs(difference) / spread, alpha=0.05, power=0.8)

    assert attempts_needed(difference, spread) == math.ceil(exact)


def test_power_is_that_of_statsmodels_in_both_tails() -> None:
    from statsmodels.stats.power import TTestIndPower

    expected = TTestIndPower().power(effect_size=0.3, nobs1=7, alpha=0.1)

    assert score_power(7, 0.3, 1.0, significance=0.1) == pytest.approx(expected, abs=1e-9)


def test_without_a_difference_the_power_is_the_level() -> None:
    assert score_power(5, 0.0, 1.0) == pytest.approx(0.05)


def test_agents_without_spread_differ_at_once_and_equal_agents_never() -> None:
    assert attempts_needed(0.1, 0.0) == 2
    assert attempts_needed(1e9, 1.0) == 2
    assert attempts_needed(0.0, 1.0) is None


def test_other_items_ask_for_a_difference_of_four_standard_errors() -> None:
    assert shown_elsewhere(0.02) == pytest.approx((1.959964 + 0.841621) * math.sqrt(2) * 0.02, rel=1e-5)


@pytest.mark.parametrize(("attempts", "spread"), [(1, 1.0), (5, -0.1)])
def test_what_cannot_be_is_refused(attempts: int, spread: float) -> None:
    with pytest.raises(UsageError, match="at least 2 attempts"):
        score_power(attempts, 0.1, spread)
