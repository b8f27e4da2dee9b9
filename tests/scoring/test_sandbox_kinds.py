"""The kind of sandbox of each attempt: recorded, shown, and never mixed without a word."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from inspect_ai.log import EvalSample
from typer.testing import CliRunner

from assay.cli import app
from assay.scoring import read_record, scorecard
from tests.synthetic_logs import Run, attempt

BUBBLEWRAP = {"sandbox": "bubblewrap", "limits": "memory: cgroup v2, processes: cgroup v2, cpu: rlimit"}
EACH_PROCESS = {"sandbox": "bubblewrap", "limits": "memory: rlimit, processes: rlimit, cpu: rlimit"}
DOCKER = {"sandbox": "docker", "limits": "container"}


def made_in(machine: dict[str, str] | None, task: str, epoch: int = 1) -> EvalSample:
    sample = attempt(task, "passed", epoch=epoch)
    if machine is not None:
        assert sample.scores is not None
        metadata: dict[str, Any] = sample.scores["assay"].metadata or {}
        metadata["machine"] = {"node": "n1", **machine}
    return sample


def notes_on(logs: Path) -> list[str]:
    return [finding.what for finding in read_record(logs).findings if "kinds of sandbox" in finding.what]


def test_an_attempt_of_an_old_log_has_no_recorded_sandbox(tmp_path: Path) -> None:
    Run("oracle", [made_in(None, "prune"), made_in(None, "spectral-1")]).write(tmp_path)
    record = read_record(tmp_path)
    assert {found.sandbox for found in record.attempts} == {"not recorded"}
    assert notes_on(tmp_path) == []
    shown = CliRunner().invoke(app, ["report", str(tmp_path)]).stdout
    assert "sandboxes of the attempts: 2 not recorded." in " ".join(shown.split())


def test_attempts_in_one_kind_of_sandbox_need_no_note(tmp_path: Path) -> None:
    Run("oracle", [made_in(BUBBLEWRAP, "prune"), made_in(BUBBLEWRAP, "spectral-1")]).write(tmp_path)
    assert notes_on(tmp_path) == []
    (agent,) = scorecard(read_record(tmp_path)).agents
    assert agent.suites[0].sandboxes == {"bubblewrap": 2}


def test_attempts_in_different_kinds_of_sandbox_are_never_added_up_without_a_note(tmp_path: Path) -> None:
    Run(
        "oracle",
        [
            made_in(BUBBLEWRAP, "prune"),
            made_in(EACH_PROCESS, "spectral-1"),
            made_in(None, "spectral-2"),
            made_in(DOCKER, "spectral-3"),
        ],
    ).write(tmp_path)
    Run("idle", [made_in(DOCKER, "prune")]).write(tmp_path)
    (note,) = notes_on(tmp_path)
    assert note == (
        "attempts in different kinds of sandbox are added up or compared: idle 1 in docker; "
        "oracle 1 in bubblewrap, 1 in bubblewrap without control groups, 1 in docker, 1 not recorded"
    )
    shown = " ".join(CliRunner().invoke(app, ["report", str(tmp_path)]).stdout.split())
    assert "attempts in different kinds of sandbox are added up or compared" in shown
    page = tmp_path / "report.html"
    CliRunner().invoke(app, ["report", str(tmp_path), "--html", str(page)])
    assert "attempts in different kinds of sandbox are added up or compared" in page.read_text()
    split = CliRunner().invoke(app, ["report", str(tmp_path), "--by", "sandbox"]).stdout
    assert "bubblewrap without control groups" in " ".join(split.split())


def test_agents_in_different_kinds_of_sandbox_are_not_compared_without_a_note(tmp_path: Path) -> None:
    Run("oracle", [made_in(BUBBLEWRAP, "prune")]).write(tmp_path)
    Run("idle", [made_in(DOCKER, "prune")]).write(tmp_path)
    assert notes_on(tmp_path) == [
        "attempts in different kinds of sandbox are added up or compared: idle 1 in docker; "
        "oracle 1 in bubblewrap"
    ]
