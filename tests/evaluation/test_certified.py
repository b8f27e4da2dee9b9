"""A shipped task whose contents do not match its certificate never runs silently."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from inspect_ai.log import read_eval_log

import assay
from assay import reporting
from assay.benchmarks import Suite, load_suite
from assay.errors import UsageError
from assay.evaluation import Settings
from assay.evaluation.samples import suite_as_task
from assay.scoring import read_record, scorecard
from assay.tasks import Task, save_task

TASK = "assay.2401_3"


def changed(task: Task) -> Task:
    """The same task with one more sentence in what is asked, and its old certificate."""
    fields = {name: getattr(task, name) for name in Task.model_fields}
    return Task(**fields | {"instruction": task.instruction + "\nBe quick.\n"})


def changed_demo() -> Suite:
    """The demo as shipped, but for one task."""
    demo = load_suite("demo")
    return demo.model_copy(update={"tasks": [changed(demo.only([TASK]).tasks[0])]})


def test_a_changed_shipped_task_is_refused_with_what_was_expected(tmp_path: Path) -> None:
    suite = changed_demo()
    certificate = suite.tasks[0].certificate
    assert certificate is not None
    with pytest.raises(UsageError) as refusal:
        assay.run(suite, agent=["idle"], settings=Settings(logs=str(tmp_path / "logs")))
    assert TASK in refusal.value.message
    assert f"expected contents {certificate.digest[:12]}…" in refusal.value.message
    assert f"found {suite.tasks[0].digest[:12]}…" in refusal.value.message
    assert "--uncertified" in (refusal.value.hint or "")
    assert not (tmp_path / "logs").exists()


def test_it_runs_when_accepted_and_log_table_and_report_say_so(tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    settings = Settings(logs=str(logs), uncertified=True)
    assert assay.run(changed_demo(), agent=["idle"], settings=settings).not_made == []
    (path,) = logs.glob("*.eval")
    metadata = read_eval_log(str(path), header_only=True).eval.metadata or {}
    assert metadata["assay"]["uncertified"] == [TASK]
    record = read_record(logs)
    assert [attempt.certified for attempt in record.attempts] == [False]
    told = f"run with --uncertified: {TASK} differ from what was certified"
    assert [(finding.log, finding.what) for finding in scorecard(record).findings] == [("demo", told)]
    assert f"note: demo: {told}" in reporting.tables.notes(scorecard(record))
    assert told in reporting.build(logs, tmp_path / "report.html").read_text()


def test_certified_shipped_tasks_run_and_the_log_names_none(tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    assay.run(load_suite("demo").only([TASK]), agent=["idle"], settings=Settings(logs=str(logs)))
    (path,) = logs.glob("*.eval")
    metadata = read_eval_log(str(path), header_only=True).eval.metadata or {}
    assert metadata["assay"]["uncertified"] == []
    assert read_record(logs).findings == []


def test_a_folder_of_ones_own_runs_whatever_its_certificate_says(tmp_path: Path) -> None:
    save_task(changed_demo().tasks[0], tmp_path / "mine")
    settings = Settings(logs=str(tmp_path / "logs"))
    done = assay.run(tmp_path / "mine", agent=["idle"], settings=settings)
    assert done.not_made == []


def test_an_installation_with_a_changed_file_is_refused_on_the_command_line(tmp_path: Path) -> None:
    """The installed package itself is changed: what a damaged or edited installation looks like."""
    package = Path(assay.__file__).parent
    shutil.copytree(package, tmp_path / "assay", ignore=shutil.ignore_patterns("__pycache__"))
    (place,) = (tmp_path / "assay").glob("benchmarks/demo/data/*/certificates/" + TASK + ".json")
    instruction = place.parents[1] / "instruction.md"
    instruction.write_text(instruction.read_text() + "\nBe quick.\n")
    program = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); from assay.cli import main; main()"
    command = [sys.executable, "-c", program, "run", "demo", "--agent", "idle", "--task", TASK]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 2, done.stderr
    error, hint = done.stderr.strip().splitlines()[-2:]
    assert error.startswith("error: a check before the run failed: ")
    assert f"task '{TASK}' of suite 'demo' is not what its certificate proves" in error
    assert hint.startswith("hint: ")
    assert "--uncertified" in hint
    assert not (tmp_path / "logs").exists()


def test_a_plain_inspect_task_of_certified_tasks_is_made() -> None:
    assert suite_as_task("demo", "idle", TASK).metadata["assay"]["uncertified"] == []  # type: ignore[index]
