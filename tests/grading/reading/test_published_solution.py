"""What reading finds missing in a published solution itself is the task's gap, and nobody's failure."""

from __future__ import annotations

import pytest

from assay.grading import grade_now
from assay.tasks import Task
from assay.workspace import Submission
from tests.grading.judge.words import CODE, judge_saying
from tests.grading.reading.careful import HONEST, careful, read_task

SILENT = CODE.replace(b'{"mean": mean, "median": middle}', b'{"spread": mean - middle}')
"""Computes the averages and writes neither."""


def solution_task() -> Task:
    plain = read_task()
    fields = {name: getattr(plain, name) for name in Task.model_fields}
    files = {f"files/{path}": data for path, data in {**HONEST, "experiment.py": SILENT}.items()}
    return Task(**{**fields, "solution": files})


def test_a_claim_that_the_solutions_own_run_does_not_measure_is_the_tasks(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    task = solution_task()
    assert task.unproved
    with judge_saying(monkeypatch, careful) as (judge, _):
        own = grade_now(task, Submission(task.gold_files), judge=judge)
        other = grade_now(task, Submission({**task.gold_files, "notes.txt": b"mine\n"}), judge=judge)
    for grade, owner in ((own, "task"), (other, "agent")):
        (faithful,) = [verdict for verdict in grade.verdicts if verdict.item == "conclusion.faithful"]
        assert (faithful.status, faithful.owner) == ("unknown", owner), faithful
        assert "no re-made number measures it" in faithful.evidence
