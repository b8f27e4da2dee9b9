"""A task of an old Python works from the first command of an attempt to its grade."""

from __future__ import annotations

from pathlib import Path

import pytest
from inspect_ai.log import read_eval_log

import assay
from assay.benchmarks import load_suite
from assay.evaluation import Settings
from assay.evaluation.resume import log_files
from assay.tasks import save_task
from assay.workspace import Submission
from tests.interpreters import one_of_each_minor
from tests.tasks.examples import masked_task

OLD = [version for version in ("3.7", "3.8") if version in one_of_each_minor()]


@pytest.mark.skipif(not OLD, reason="this machine has no Python 3.7 or 3.8")
def test_an_attempt_at_a_task_of_an_old_python_is_graded(tmp_path: Path) -> None:
    version = OLD[-1]
    save_task(masked_task(python=version), tmp_path / "suite" / "toy")
    script = "python -c 'import sys; print(*sys.version_info[:2])' > version.txt; true"
    agents = ["oracle", f"command:{script}"]
    settings = Settings(logs=str(tmp_path / "logs"))
    assay.run(load_suite(tmp_path / "suite"), agent=agents, settings=settings)
    logs = [read_eval_log(str(path)) for path in log_files(tmp_path / "logs")]
    samples = {(log.eval.metadata or {})["assay"]["agent"]: log.samples or [] for log in logs}
    (sample,) = samples["oracle"]
    assert sample.scores is not None, sample.error
    score = sample.scores["assay"]
    assert isinstance(score.value, dict)
    assert score.value["passed"] == 1.0, score.explanation
    (other,) = next(each for name, each in samples.items() if name != "oracle")
    assert other.scores is not None, other.error
    submission = Submission.load(
        tmp_path / "logs" / "submissions", (other.scores["assay"].metadata or {})["grade"]["submission"]
    )
    assert submission.files["version.txt"].decode().split() == version.split(".")
