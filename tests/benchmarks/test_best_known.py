"""Frontier's challenges whose bar is the best known program, which grading runs on the same data."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from assay.benchmarks.frontier import DATA
from assay.tasks import Task, load_task
from assay.tasks.files import below

COMPARED = sorted(
    place.parent.name for place in DATA.glob("*/task.toml") if '"tests/known" = ' in place.read_text()
)


@pytest.fixture(params=COMPARED)
def task(request: pytest.FixtureRequest) -> Task:
    return load_task(DATA / request.param)


def test_the_best_known_program_is_the_solution(task: Task) -> None:
    assert below(task.tests, "known") == task.gold_files != {}


def test_agents_get_the_score_that_grading_computes(task: Task) -> None:
    assert task.workspace["measure.py"] == task.tests["measure.py"]


def test_the_local_scorer_of_records_gives_the_first_solution_about_no_points(tmp_path: Path) -> None:
    for path, data in load_task(DATA / "record-stream").workspace.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_bytes(data)
    scored = subprocess.run(
        [sys.executable, "score.py", "a-1.txt"], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert abs(float(scored.stdout.split()[1])) < 0.02
