"""Several runs of a challenge: success, mean, standard error, cost of a run and of a pass."""

from __future__ import annotations

import statistics

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.scoring import Attempt
from assay.scoring.scorecards.repeated_challenges import repeated


def run(task: str, epoch: int, score: float | None, cost: float | None = None, **changes: object) -> Attempt:
    told = {"passed": score is not None, "normalised": score, "cost": cost, "kind": "challenge", **changes}
    return Attempt.model_validate(
        {"suite": "mlrb", "agent": "supervisor", "model": "m", "task": task, "epoch": epoch, **told}
    )


def test_runs_are_added_up_by_challenge_and_suite() -> None:
    runs = [
        run("merge", 1, 0.2, 40.0),
        run("merge", 2, 0.6, 44.0),
        run("merge", 3, None, 36.0),
        run("prune", 1, 0.5, 10.0),
        run("prune", 2, 0.7, None),
        run("other", 1, 0.7, 99.0, kind="masked"),
    ]
    merge, prune, suite = repeated(runs)

    assert (merge.task, merge.runs, merge.scored, merge.unknown) == ("merge", 3, 2, 0)
    assert (merge.mean, merge.standard_error) == (pytest.approx(0.4), pytest.approx(0.2))
    assert (merge.cost, merge.priced) == (40.0, 3)
    assert (prune.cost, prune.priced) == (10.0, 1)
    assert (suite.task, suite.tasks, suite.runs, suite.scored) == (None, 2, 5, 4)
    assert suite.mean == pytest.approx(0.5)
    assert suite.standard_error == pytest.approx((0.2**2 + 0.1**2) ** 0.5 / 2)
    assert suite.cost == pytest.approx(130 / 4)
    assert suite.pass_cost == pytest.approx(50.0)


def test_what_is_not_known_is_no_zero() -> None:
    only, suite = repeated([run("merge", 1, 0.2), run("merge", 2, None, passed=None, owner="model")])
    assert (only.unknown, only.mean, only.standard_error) == (1, 0.2, None)
    assert (suite.standard_error, suite.cost, suite.pass_cost) == (None, None, None)
    nothing, _ = repeated([run("merge", 1, None, 1.0)])
    assert (nothing.mean, nothing.scored) == (None, 0)


@settings(deadline=None)
@given(st.lists(st.floats(-2, 3), min_size=2, max_size=9))
def test_the_error_is_that_of_the_mean(scores: list[float]) -> None:
    found, suite = repeated([run("merge", epoch, score) for epoch, score in enumerate(scores)])
    assert found.mean == pytest.approx(statistics.fmean(scores))
    expected = (sum((each - statistics.fmean(scores)) ** 2 for each in scores) / (len(scores) - 1)) ** 0.5
    assert found.standard_error == pytest.approx(expected / len(scores) ** 0.5, abs=1e-9)
    assert (suite.mean, suite.standard_error) == (
        pytest.approx(found.mean),
        pytest.approx(found.standard_error, abs=1e-12),
    )
