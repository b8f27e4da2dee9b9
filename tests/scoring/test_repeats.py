from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import UsageError
from assay.scoring import Attempt, pass_all_k, pass_at_k, repeats


def test_reference_values() -> None:
    """Chen et al. (2021): 1 - C(n-c, k)/C(n, k); pass^k as in τ-bench: C(c, k)/C(n, k)."""
    assert pass_at_k(10, 3, 1) == pytest.approx(0.3)
    assert pass_at_k(10, 3, 5) == pytest.approx(1 - 21 / 252)
    assert pass_all_k(10, 3, 2) == pytest.approx(3 / 45)
    assert pass_all_k(10, 3, 5) == 0


@given(st.lists(st.booleans(), min_size=1, max_size=9), st.integers(1, 9))
def test_both_are_the_share_of_all_draws_of_k(attempts: list[bool], k: int) -> None:
    some, every = pass_at_k(len(attempts), sum(attempts), k), pass_all_k(len(attempts), sum(attempts), k)
    draws = list(combinations(attempts, k))
    if not draws:
        assert (some, every) == (None, None)
    else:
        assert some == pytest.approx(sum(map(any, draws)) / len(draws))
        assert every == pytest.approx(sum(map(all, draws)) / len(draws))


def test_k_below_one_is_refused() -> None:
    with pytest.raises(UsageError, match="expected k ≥ 1"):
        pass_at_k(3, 1, 0)


def _attempt(task: str, epoch: int, passed: bool | None) -> Attempt:
    return Attempt(suite="demo", agent="a", model="m", task=task, epoch=epoch, passed=passed)


def test_tasks_with_too_few_scored_attempts_are_left_out_and_counted() -> None:
    attempts = [
        _attempt("x", 1, True),
        _attempt("x", 2, False),
        _attempt("y", 1, True),
        _attempt("y", 2, None),
    ]

    one, two = repeats(attempts)

    assert (one.k, one.pass_at, one.tasks, one.undefined) == (1, 0.75, 2, 0)
    assert (two.k, two.pass_at, two.pass_all, two.tasks, two.undefined) == (2, 1.0, 0.0, 1, 1)


def test_single_attempts_have_no_repeats() -> None:
    assert repeats([_attempt("x", 1, True)]) == []
