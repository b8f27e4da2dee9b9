"""The interval score of frontier: an analysis that wastes what the studies have in common is not as good."""

from __future__ import annotations

import csv
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from assay.benchmarks.frontier import DATA
from assay.tasks import load_task

SEED = 77
COUNT = 120
"""Studies that are drawn here; grading draws four times as many."""
TASK = DATA / "cheap-labels"


@pytest.fixture(scope="module")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tests of the task, and the studies that they draw."""
    folder = tmp_path_factory.mktemp("cheap-labels")
    for path, data in load_task(TASK).tests.items():
        (folder / "tests" / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / "tests" / path).write_bytes(data)
    settings = folder / "tests/drawing/settings.json"
    settings.write_text(json.dumps(json.loads(settings.read_text()) | {"count": COUNT}))
    command = [sys.executable, str(folder / "tests/drawing/studies.py"), str(SEED), str(folder / "data")]
    subprocess.run(command, check=True)
    return folder


def compare(drawn: Path, folder: Path, study: Path) -> subprocess.CompletedProcess[str]:
    """What the comparison says of the answers of one analysis."""
    shutil.copytree(DATA / "_shared/solution/files", folder, dirs_exist_ok=True)
    shutil.copy(study, folder / "study.py")
    variables = {**os.environ, "ASSAY_DATA": str(drawn / "data")}
    subprocess.run([sys.executable, "experiment.py"], cwd=folder, env=variables, check=True)
    (folder / "outputs/drawn-studies").mkdir(parents=True)
    shutil.copy(folder / "answers.csv", folder / "outputs/drawn-studies/answers.csv")
    (folder / "outputs/seeds.json").write_text(json.dumps({"drawn-studies": SEED}))
    command = [sys.executable, str(drawn / "tests/checks/comparison.py")]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def test_the_solution_has_the_score_of_the_best_known_analysis(drawn: Path, tmp_path: Path) -> None:
    done = compare(drawn, tmp_path, TASK / "solution/files/study.py")
    assert (done.returncode, "score is 1.000 times" in done.stdout) == (0, True), done.stdout + done.stderr


@pytest.mark.long
def test_an_analysis_of_each_study_alone_fails_by_its_score(drawn: Path, tmp_path: Path) -> None:
    done = compare(drawn, tmp_path, TASK / "tests/broken/each-study-alone/study.py")
    assert done.returncode == 1, done.stderr
    assert "the interval score is" in done.stdout


def test_the_studies_do_not_name_their_kind(drawn: Path) -> None:
    with next((drawn / "data").glob("*.csv")).open(newline="") as file:
        assert "kind" not in (csv.DictReader(file).fieldnames or [])
