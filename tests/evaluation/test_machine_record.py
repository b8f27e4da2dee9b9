"""What a log says of the sandbox of an attempt."""

from __future__ import annotations

from pathlib import Path

import assay
from assay.evaluation.machine_record import sandbox_record
from assay.sandbox import find_engine


def test_a_run_records_its_sandbox_with_its_version_and_limits(tmp_path: Path) -> None:
    assay.new("masked", tmp_path / "task")
    run = assay.run(tmp_path / "task", agent="idle", logs=tmp_path / "logs", progress=False, preflight=False)
    (attempt,) = run
    kind = "docker" if find_engine().kind == "docker" else "bubblewrap"
    assert attempt.machine["sandbox"] == kind
    assert find_engine().version in attempt.machine["sandbox_version"]
    assert attempt.machine["limits"]
    assert attempt.sandbox.startswith(kind)


def test_a_task_is_shown_with_the_sandbox_of_this_machine(tmp_path: Path) -> None:
    assay.new("masked", tmp_path / "task")
    assert find_engine().version in assay.show(tmp_path / "task").limits["sandbox"]


def test_of_another_sandbox_only_its_name_is_known() -> None:
    assert sandbox_record("k8s") == {"sandbox": "k8s"}
