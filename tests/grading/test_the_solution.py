"""What the truth itself does not meet is the task's failure, and nobody else's."""

from __future__ import annotations

from assay.grading import grade_now
from assay.workspace import Submission
from tests.tasks.examples import GOLD, masked_task


def test_a_solution_that_fails_leaves_its_items_unknown_and_the_task_owns_them() -> None:
    run = {"command": "python3 run.py && exit 3", "results": "results.json", "seconds": 20.0}
    done = grade_now(masked_task(run=run), Submission({"steps.py": GOLD}))
    [execution] = [each for each in done.verdicts if each.item == "execution.default"]
    assert (execution.status, execution.owner) == ("unknown", "task")
    assert "exited with 3" in execution.evidence
    assert done.passed is None


def test_another_submission_that_fails_there_owns_its_failure() -> None:
    run = {"command": "python3 run.py && exit 3", "results": "results.json", "seconds": 20.0}
    done = grade_now(masked_task(run=run), Submission({"steps.py": GOLD + b"\n# mine\n"}))
    assert done.passed is False
