"""Grading an old run again: the submission is what was archived, the agent does not run."""

from __future__ import annotations

from pathlib import Path

import pytest

import assay
from assay.benchmarks import load_suite
from assay.errors import GradingError, UsageError
from assay.evaluation import Settings


@pytest.fixture
def logs(suite: Path, tmp_path: Path) -> Path:
    """The logs of one oracle attempt."""
    folder = tmp_path / "logs"
    assay.run(load_suite(suite).only(limit=1), agent=["oracle"], settings=Settings(logs=str(folder)))
    return folder


def test_the_same_graders_give_the_same_grade(logs: Path, tmp_path: Path) -> None:
    (row,) = assay.grade(logs, tmp_path / "again")
    assert (row.before, row.after) == (True, True)
    (second,) = assay.grade(tmp_path / "again", tmp_path / "once-more")
    assert second.grade.submission == row.grade.submission


def test_a_changed_truth_changes_the_grade(logs: Path, suite: Path, tmp_path: Path) -> None:
    for gold in suite.glob("*/tests/results.json"):
        gold.write_text(gold.read_text().replace("16.0", "17.0"))
    (row,) = assay.grade(logs, tmp_path / "again")
    assert (row.before, row.after) == (True, False)


def test_a_submission_that_was_changed_is_refused(logs: Path, tmp_path: Path) -> None:
    (archive,) = (logs / "submissions").glob("*.tar")
    archive.write_bytes(archive.read_bytes() + b"\0")
    with pytest.raises(GradingError, match="was changed"):
        assay.grade(logs, tmp_path / "again")


def test_bad_input_is_refused_before_anything_is_written(logs: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="has no log"):
        assay.grade(tmp_path / "nowhere", tmp_path / "again")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine").write_text("precious")
    with pytest.raises(UsageError, match="is not empty"):
        assay.grade(logs, tmp_path / "full")
    assert not (tmp_path / "again").exists()
