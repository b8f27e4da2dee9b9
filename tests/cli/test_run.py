"""assay run, grade, report and certify on a task of one's own."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from assay.tasks import load_task
from tests.cli.conftest import Command


def test_from_a_new_task_to_a_report(assay: Command, tmp_path: Path) -> None:
    task, logs = tmp_path / "mine", tmp_path / "logs"
    assay("new", "masked", task)
    said = assay("run", task, "--agent", "oracle", "--agent", "idle", "--logs", logs, "--json")
    assert said.code == 0
    assert "2 attempts to make" in said.err
    agents = {row["agent"]: row["suites"][0] for row in json.loads(said.out)["agents"]}
    assert agents["oracle"]["passed"] == agents["oracle"]["attempts"] == 1
    assert agents["idle"]["passed"] == 0
    wanted = {
        "suite",
        "attempts",
        "scored",
        "passed",
        "rate",
        "rate_scored",
        "low",
        "high",
        "bound_low",
        "bound_high",
    }
    assert wanted <= set(agents["idle"])

    report = assay("report", logs, "--html", tmp_path / "report.html")
    assert "oracle" in report.out
    assert (tmp_path / "report.html").stat().st_size > 10_000

    graded = json.loads(assay("grade", logs, "--out", tmp_path / "again", "--json").out)
    assert [(row["agent"], row["before"], row["after"]) for row in graded["attempts"]] == [
        ("idle", False, False),
        ("oracle", True, True),
    ]


def test_a_missing_key_is_named_without_the_checks_before_a_run(
    assay: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for variable in ("OPENAI_API_KEY", "AZUREAI_OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(variable, raising=False)
    assay("new", "masked", tmp_path / "mine")
    words = ("--agent", "react", "--model", "openai/gpt-4o", "--no-preflight")
    said = assay("run", tmp_path / "mine", *words, "--logs", tmp_path / "logs")
    assert said.code == 2
    assert "openai/gpt-4o cannot be asked: " in said.err
    assert "OPENAI_API_KEY" in said.err


@pytest.fixture
def task(assay: Command, tmp_path: Path) -> Path:
    """The folder of a new masked task."""
    folder = tmp_path / "mine"
    assay("new", "masked", folder)
    return folder


@pytest.mark.long
def test_certify_proves_a_sound_task(assay: Command, task: Path, tmp_path: Path) -> None:
    said = assay("certify", task, "--logs", tmp_path / "logs", "--json")
    assert said.code == 0, said.out
    (row,) = json.loads(said.out)["tasks"]
    assert row["sound"] is True
    assert load_task(task).certified
    (task / "instruction.md").write_text("Something else is asked.\n")
    assert not load_task(task).certified
