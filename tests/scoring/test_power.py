from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.errors import UsageError
from assay.scoring import power_of, power_table, trinomial_power, visible_difference


def test_a_published_power_of_the_exact_mcnemar_test() -> None:
    """O'Brien (2002), also in the manual of G*Power: 50 pairs, 0.32 against 0.08, one-sided at 0.05: 0.839.

    A two-sided test at 0.10 has the same upper tail; its lower one adds less than 1e-4.
    """
    assert trinomial_power(50, 0.32, 0.08, significance=0.10) == pytest.approx(0.839, abs=5e-4)


def test_power_is_the_sum_over_all_tables_that_statsmodels_calls_significant() -> None:
    from scipy.stats import multinomial
    from statsmodels.stats.contingency_tables import mcnemar

    tasks, more, less = 9, 0.6, 0.1
    expected = sum(
        multinomial.pmf([plus, minus, tasks - plus - minus], tasks, [more, less, 1 - more - less])
        for plus, minus in product(range(tasks + 1), repeat=2)
        if plus + minus <= tasks and mcnemar([[0, plus], [minus, 0]], exact=True).pvalue <= 0.05
    )

    assert trinomial_power(tasks, more, less) == pytest.approx(expected)


def test_several_attempts_agree_with_a_simulation() -> None:
    from statsmodels.stats.contingency_tables import mcnemar

    generator = np.random.default_rng(3)
    tasks, attempts, runs = 20, 3, 4000
    first = generator.binomial(attempts, 0.3, size=(runs, tasks))
    second = generator.binomial(attempts, 0.65, size=(runs, tasks))
    seen = 0
    for plus, minus in zip((second > first).sum(axis=1), (second < first).sum(axis=1), strict=True):
        seen += mcnemar([[0, int(plus)], [int(minus), 0]], exact=True).pvalue <= 0.05

    assert power_of(tasks, attempts, 0.3, 0.35) == pytest.approx(seen / runs, abs=0.025)


def test_five_tasks_can_show_nothing_and_six_need_everything() -> None:
    """The smallest two-sided p of five signs is 2/32, of six 2/64."""
    assert visible_difference(5, 1, 0.0) is None
    assert visible_difference(6, 1, 0.0) == pytest.approx(0.8 ** (1 / 6), abs=1e-3)


def test_the_visible_difference_has_the_power_that_was_asked_for() -> None:
    table = power_table(30, 2, (0.2, 0.5), power=0.9)

    for visible in table.visible:
        assert visible.difference is not None
        assert power_of(30, 2, visible.rate, visible.difference) == pytest.approx(0.9, abs=2e-3)


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 40), st.integers(1, 4), st.floats(0, 0.9), st.floats(0, 0.1))
def test_power_is_a_chance_and_no_difference_is_seen_at_most_as_often_as_allowed(
    tasks: int, attempts: int, rate: float, gain: float
) -> None:
    assert 0 <= power_of(tasks, attempts, rate, gain) <= 1
    assert power_of(tasks, attempts, rate, 0.0) <= 0.05 + 1e-9


@pytest.mark.parametrize("tiny", [5e-324, 1e-308, 2.3e-308, 1e-300, 1e-200])
def test_the_smallest_rates_and_differences_give_no_power_and_no_error(tiny: float) -> None:
    for tasks, attempts in ((1, 1), (8, 4), (40, 40)):
        assert power_of(tasks, attempts, 0.0, tiny) == 0
        assert power_of(tasks, attempts, tiny, 0.0) == 0
        assert trinomial_power(tasks, tiny, tiny) == 0
        assert power_of(tasks, attempts, tiny, 0.5) == pytest.approx(power_of(tasks, attempts, 0.0, 0.5))
        assert power_of(tasks, attempts, 0.5, tiny) == power_of(tasks, attempts, 0.5, 0.0)


def test_rates_past_one_are_refused() -> None:
    with pytest.raises(UsageError, match="expected rates within 0 and 1"):
        power_of(10, 1, 0.8, 0.3)
