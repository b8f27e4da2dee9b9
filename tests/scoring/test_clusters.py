from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.scoring import Attempt, cluster_of, clustered, interval


def attempt(task: str, passed: bool | None, *, epoch: int = 1, kind: str = "masked") -> Attempt:
    return Attempt(suite="demo", agent="a", model="m", task=task, epoch=epoch, kind=kind, passed=passed)


def papers(outcomes: list[list[bool]]) -> list[Attempt]:
    """One paper for each list, one masked task for each outcome."""
    return [
        attempt(f"paper{number}_{place}", passed)
        for number, paper in enumerate(outcomes)
        for place, passed in enumerate(paper)
    ]


def test_masked_tasks_of_one_paper_stand_together_and_others_alone() -> None:
    assert cluster_of(attempt("2205.00048_0,1", True)) == "demo/2205.00048"
    assert cluster_of(attempt("2205.00048_3", True)) == "demo/2205.00048"
    assert cluster_of(attempt("label_noise", True, kind="experiment")) == "demo/label_noise"


def test_with_one_attempt_a_paper_it_is_scipys_percentile_bootstrap() -> None:
    from scipy.stats import bootstrap

    outcomes = [number % 3 == 0 for number in range(30)]
    theirs = bootstrap(
        (np.array(outcomes, dtype=float),),
        np.mean,
        n_resamples=20_000,
        method="percentile",
        rng=np.random.default_rng(1),
    )

    found = clustered(papers([[passed] for passed in outcomes]), replicates=20_000)

    assert found is not None
    assert (found.method, found.clusters) == ("percentile", 30)
    assert (found.low, found.high) == pytest.approx(
        (theirs.confidence_interval.low, theirs.confidence_interval.high), abs=0.034
    )
    assert found.standard_error == pytest.approx(theirs.standard_error, rel=0.03)


def test_both_levels_add_up_to_the_variance_that_theory_gives() -> None:
    """For C papers of one task with m attempts: (variance between + mean p(1 − p) / m) / C."""
    rates, made = [0, 1, 2, 4, 4, 3, 0, 1], 4
    attempts = [
        attempt(f"paper{number}_0", epoch <= passed, epoch=epoch)
        for number, passed in enumerate(rates)
        for epoch in range(1, made + 1)
    ]
    shares = np.array(rates) / made
    expected = math.sqrt((shares.var() + (shares * (1 - shares)).mean() / made) / len(rates))

    found = clustered(attempts, replicates=20_000)

    assert found is not None
    assert found.standard_error == pytest.approx(expected, rel=0.03)


def test_papers_that_stand_or_fall_together_widen_the_interval_as_clustered_errors_do() -> None:
    """The reference is the cluster-robust standard error of statsmodels."""
    from statsmodels.regression.linear_model import OLS

    outcomes = [[number % 2 == 0] * 5 for number in range(40)]
    values = np.array([float(passed) for paper in outcomes for passed in paper])
    groups = np.repeat(np.arange(40), 5)
    theirs = OLS(values, np.ones_like(values)).fit(
        cov_type="cluster", cov_kwds={"groups": groups, "use_correction": False}
    )

    found = clustered(papers(outcomes), replicates=20_000)

    assert found is not None
    assert found.standard_error == pytest.approx(float(theirs.bse[0]), rel=0.03)
    assert found.design_effect == pytest.approx(5, rel=0.06)


def test_attempts_that_all_came_out_alike_do_not_make_a_certainty() -> None:
    found = clustered(papers([[False] * 6] * 4))

    assert found is not None
    assert (found.method, found.low, found.high) == ("no-spread", *interval(0, 4))


def test_one_paper_says_nothing_of_others() -> None:
    found = clustered(papers([[True, False, True]]))

    assert found is not None
    assert (found.method, found.low, found.high) == ("undefined", None, None)
    assert clustered([]) is None


def test_unknown_attempts_count_as_not_passed() -> None:
    known = [attempt(f"p{number}_0", number < 5) for number in range(10)]
    unknown = [attempt(f"p{number}_0", True if number < 5 else None) for number in range(10)]

    assert clustered(known) == clustered(unknown)


@settings(deadline=None, max_examples=30)
@given(st.lists(st.lists(st.booleans(), min_size=1, max_size=4), min_size=2, max_size=6))
def test_the_rate_lies_in_its_interval_and_the_seed_decides(outcomes: list[list[bool]]) -> None:
    attempts = papers(outcomes)
    rate = sum(each.passed is True for each in attempts) / len(attempts)

    found = clustered(attempts, replicates=200)

    assert found is not None
    assert found.low is not None
    assert found.high is not None
    assert 0 <= found.low <= rate <= found.high <= 1
    assert found == clustered(attempts, replicates=200)
