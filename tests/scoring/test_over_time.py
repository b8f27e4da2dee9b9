"""Challenges over time: submissions scored on the way become curves and numbers of iteration."""

from __future__ import annotations

import statistics
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.grading.checkpoint import Checkpoint
from assay.scoring import read_attempts, read_record
from assay.scoring.scorecards.over_time import best_so_far, median_steps, timelines
from assay.workspace import Submission
from tests.synthetic_logs import Run, attempt, challenge, score
from tests.synthetic_logs import grade as made_grade


def test_an_attempt_is_scored_on_the_way(tmp_path: Path) -> None:
    steps = [(30.0, None), (60.0, 0.2), (200.0, 0.1), (450.0, 0.8)]
    Run("iterative", [challenge("prune", steps), attempt("character-model", "failed")]).write(tmp_path)

    (found,) = timelines(read_attempts(tmp_path))

    assert (found.task, found.attempts, found.untold, found.submissions) == ("prune", 1, 0, 4)
    assert (found.valid, found.gain, found.best) == (0.75, pytest.approx(0.6), 0.8)
    assert found.budget_used == 0.75
    assert found.each[0].steps == [(60.0, 0.2), (450.0, 0.8)]
    assert found.median == found.each[0].steps


def test_an_unchanged_workspace_is_no_submission(tmp_path: Path) -> None:
    sample = challenge("prune", [(0.0, 0.0), (60.0, 0.0), (450.0, 0.8)])
    idle = challenge("prune", [(0.0, 0.0)], epoch=2)
    for empty, count in ((sample, 2), (idle, 1)):
        assert empty.scores is not None
        details = empty.scores["assay"].metadata
        assert details is not None
        for row in details["checkpoints"][:count]:
            row["submission"] = Submission().digest
    Run("iterative", [sample, idle]).write(tmp_path)

    (found,) = timelines(read_attempts(tmp_path))

    assert (found.submissions, found.valid, found.gained) == (0.5, 1.0, 1)
    assert found.each[0].steps == [(450.0, 0.8)], "the score of nothing starts no curve"
    assert (found.each[1].submissions, found.each[1].best, found.each[1].budget_used) == (0, None, None)


def test_an_attempt_without_a_valid_submission_stands_below_all(tmp_path: Path) -> None:
    runs = [[(10.0, 0.5)], [(20.0, None)], [(30.0, 0.7), (90.0, 0.9)]]
    samples = [challenge("prune", steps, epoch=epoch) for epoch, steps in enumerate(runs, 1)]
    Run("iterative", samples).write(tmp_path)

    (found,) = timelines(read_attempts(tmp_path))

    assert found.median == [(30.0, 0.5)], "one of three is no median before the second has a score"
    assert (found.gained, found.best) == (2, 0.5)
    assert found.each[1].first is None
    assert found.each[1].gain is None


def test_unknown_budgets_and_other_attempts_are_not_zero(tmp_path: Path) -> None:
    samples = [challenge("prune", [(10.0, None)], allowed=None), attempt("prune", "failed", epoch=2)]
    Run("iterative", samples).write(tmp_path)

    (found,) = timelines(read_attempts(tmp_path))

    assert (found.attempts, found.untold) == (1, 1)
    assert (found.budget_used, found.gain, found.best, found.median) == (None, None, None, [])


def test_numbers_that_are_none_and_limits_are_read(tmp_path: Path) -> None:
    marked = score(made_grade("prune", "challenge", "failed"))
    assert marked.metadata is not None
    marked.metadata |= {
        "limit": "time",
        "checkpoints": [{"seconds": 5.0, "normalised": float("nan"), "valid": True}],
    }
    Run("iterative", [attempt("prune", "failed", scores={"assay": marked})]).write(tmp_path)

    record = read_record(tmp_path)

    assert record.findings == []
    (only,) = record.attempts
    assert (only.checkpoints[0].normalised, only.limit) == (None, "time")


CURVES = st.lists(
    st.lists(st.tuples(st.integers(0, 50), st.floats(-1, 2)), min_size=1, max_size=6), min_size=1, max_size=5
)


@settings(deadline=None)
@given(CURVES)
def test_the_median_is_that_of_the_best_so_far_at_each_moment(drawn: list[list[tuple[int, float]]]) -> None:
    curves = [
        best_so_far([Checkpoint(seconds=when, normalised=value, valid=True) for when, value in points])
        for points in drawn
    ]
    found = median_steps(curves)

    for moment in range(0, 51, 5):
        bests = [
            max((value for when, value in points if when <= moment), default=float("-inf"))
            for points in drawn
        ]
        expected = statistics.median(bests)
        shown = [value for when, value in found if when <= moment]
        assert (shown[-1] if shown else float("-inf")) == pytest.approx(expected)
