"""The stand-in of EXP-Bench through grading: what is known of the truth, and nothing for free."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.benchmarks import expbench, load_suite
from assay.grading import grade_now
from assay.tasks import Task
from assay.workspace import Submission
from tests.benchmarks.published_experiments import PAPER, write_repository, write_tasks

PHASES = ("design.", "requirement.", "execution.", "conclusion.")


@pytest.fixture
def tasks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Task]:
    """One of each type."""
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path / "cache"))
    expbench.fetch(str(write_tasks(tmp_path / "tasks")))
    commit = write_repository(tmp_path / "two")
    expbench.fetch_repository(PAPER, str(tmp_path / "two"), commit)
    return load_suite("expbench").tasks


def test_the_oracle_is_right_in_all_that_is_known_and_the_idle_in_nothing(tasks: list[Task]) -> None:
    for task in tasks:
        told = {each.item: each.status for each in grade_now(task, Submission(task.gold_files)).verdicts}
        assert told["conclusion.outcome"] == "met"
        if task.assay.labels["solution"] == "runs":
            # Its words are the paper's, whose numbers this small run does not make.
            assert told.pop("conclusion.faithful") == "unknown"
            assert {status for item, status in told.items() if item.startswith(PHASES)} == {"met"}
            assert sum(item.startswith("design.") for item in told) == 4
        else:
            assert told["execution.default"] == "unknown"
            assert told["requirement.experiment"] == "unknown"
            assert not any(item.startswith("design.") for item in told)
        idle = grade_now(task, Submission({})).verdicts
        assert not any(each.item.startswith(PHASES) for each in idle if each.status == "met")


def test_what_the_solution_itself_does_not_meet_is_the_tasks_failure_and_nobody_elses(
    tasks: list[Task],
) -> None:
    [task] = [each for each in tasks if each.assay.labels["solution"] != "runs"]
    owners = {each.item: each.owner for each in grade_now(task, Submission(task.gold_files)).verdicts}
    assert owners["execution.default"] == "task"
    more = grade_now(task, Submission({**task.gold_files, "notes.txt": b"mine\n"}))
    assert {each.item: each.owner for each in more.verdicts}["execution.default"] == "agent"
    linked = grade_now(task, Submission(task.gold_files, refused={"x": "is a link to /etc/passwd"}))
    assert {each.item: each.status for each in linked.verdicts}["integrity.links"] == "unmet"
