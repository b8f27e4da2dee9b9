"""A user can name one environment for all tasks, and give GPUs to tasks that ask for none."""

from __future__ import annotations

import venv
from pathlib import Path

import pytest

from assay.errors import UsageError
from assay.grading import grade_now
from assay.workspace import Submission, gpus_of, task_environment, user_environment
from tests.tasks.examples import masked_task


@pytest.fixture
def named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "environment"
    venv.create(folder, with_pip=False, symlinks=True)
    monkeypatch.setenv("ASSAY_TASK_ENVIRONMENT", str(folder))
    return folder


def test_the_named_environment_serves_every_task_whatever_it_requires(named: Path) -> None:
    assert task_environment(masked_task()) == named


def test_grading_runs_in_the_named_environment(named: Path) -> None:
    task = masked_task()
    assert grade_now(task, Submission(task.gold_files)).passed is True
    for name in ("python", "python3"):
        (named / "bin" / name).unlink()
        (named / "bin" / name).write_text("#!/bin/sh\nexit 3\n")
        (named / "bin" / name).chmod(0o755)
    assert grade_now(task, Submission(task.gold_files)).passed is not True


def test_a_folder_that_is_no_environment_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_TASK_ENVIRONMENT", str(tmp_path))
    with pytest.raises(UsageError, match="expected the folder of a virtual environment"):
        user_environment()


def test_a_user_gives_gpus_to_tasks_that_ask_for_none(monkeypatch: pytest.MonkeyPatch) -> None:
    assert gpus_of(masked_task()) == 0
    monkeypatch.setenv("ASSAY_TASK_GPUS", "2")
    assert gpus_of(masked_task()) == 2
    monkeypatch.setenv("ASSAY_TASK_GPUS", "some")
    with pytest.raises(UsageError, match="expected a number of GPUs"):
        gpus_of(masked_task())
