"""Who owns a failure: a grader that breaks on one submission and not on the control was broken by it."""

from __future__ import annotations

import pytest

from assay.grading import grade_now
from assay.tasks import Task, TaskConfig
from assay.workspace import Submission
from tests.tasks.examples import GOLD, masked_task

CHECK = b"""import json, sys
value = json.load(open("outputs/default/results.json"))["runs"]
print("runs", value)
sys.exit(0 if len(value) == 1 else 1)
"""


def with_check(check: bytes, **changes: object) -> Task:
    """A task with one requirement, whose check is this script."""
    task = masked_task(submission={"editable": None}, **changes)
    requirements = b'[[requirement]]\nid = "runs"\ntext = "one run"\ncheck = "checks/runs.py"\n'
    tests = {**task.tests, "requirements.toml": requirements, "checks/runs.py": check}
    config: TaskConfig = task.config
    return task.model_copy(update={"tests": tests, "config": config})


def verdict(task: Task, submission: Submission) -> tuple[str, str | None, str]:
    """Status, owner and evidence of the one requirement."""
    done = grade_now(task, submission)
    found = next(each for each in done.verdicts if each.item == "requirement.runs")
    return found.status, found.owner, found.evidence


def test_a_check_that_holds_and_one_that_does_not() -> None:
    task = with_check(CHECK)
    assert verdict(task, Submission(task.gold_files))[0] == "met"
    two = task.workspace["run.py"].replace(b"[seed]", b"[seed, seed]")
    assert verdict(task, Submission({**task.gold_files, "run.py": two}))[:2] == ("unmet", "agent")


def test_a_check_broken_by_the_submission_is_the_agents_failure() -> None:
    task = with_check(CHECK)
    nothing = task.workspace["run.py"].replace(b'"runs": [seed]', b'"walks": 1')
    status, owner, evidence = verdict(task, Submission({**task.gold_files, "run.py": nothing}))
    assert (status, owner) == ("unmet", "agent")
    assert "not on the control" in evidence


def test_a_check_broken_by_itself_is_unknown_and_the_graders_failure() -> None:
    task = with_check(b"raise RuntimeError('bad check')\n")
    status, owner, evidence = verdict(task, Submission(task.gold_files))
    assert (status, owner) == ("unknown", "grader")
    assert "bad check" in evidence
    assert grade_now(task, Submission(task.gold_files)).passed is None


def test_a_check_never_runs_the_agents_code() -> None:
    task = with_check(CHECK)
    poison = {"json.py": b"raise SystemExit(0)\n", "outputs/json.py": b"raise SystemExit(0)\n"}
    broken = task.workspace["run.py"].replace(b"[seed]", b"[seed, seed]")
    assert verdict(task, Submission({**task.gold_files, **poison, "run.py": broken}))[0] == "unmet"


LOOKS_FOR_DRAWN_RUN = b"""import pathlib, sys
sys.exit(0 if pathlib.Path("outputs/drawn/results.json").exists() else 1)
"""
BREAKS_ON_DRAWN_RUN = b"""import pathlib, sys
sys.exit(3 if pathlib.Path("outputs/drawn/results.json").exists() else 1)
"""


FAILS_WITH_DRAWN_SEEDS = GOLD + b"\nimport os\nassert int(os.environ.get('ASSAY_SEED', '0')) < 100\n"


@pytest.mark.parametrize(
    ("check", "steps"),
    [(LOOKS_FOR_DRAWN_RUN, FAILS_WITH_DRAWN_SEEDS), (BREAKS_ON_DRAWN_RUN, GOLD)],
    ids=["the solution itself", "a right submission"],
)
def test_what_the_solution_breaks_by_itself_is_not_the_agents_failure(check: bytes, steps: bytes) -> None:
    task = with_check(check, variations=[{"name": "drawn", "fresh": True}])
    task = task.model_copy(update={"solution": {"files/steps.py": FAILS_WITH_DRAWN_SEEDS}})
    done = grade_now(task, Submission({"steps.py": steps}))
    found = {each.item: (each.status, each.owner) for each in done.verdicts if each.status != "met"}
    assert found == {"execution.default": ("unknown", "grader"), "requirement.runs": ("unknown", "grader")}
    assert done.passed is None


@pytest.mark.long
@pytest.mark.parametrize(
    ("program", "status"), [(b"while True: pass\n", "unknown"), (b"import time\ntime.sleep(65)\n", "met")]
)
def test_the_limit_of_a_check_is_processor_time_which_a_busy_machine_does_not_use_up(
    program: bytes, status: str
) -> None:
    task = with_check(program)
    assert verdict(task, Submission(task.gold_files))[0] == status
