"""How an agent's own runs of the experiment went: noted at scoring, kept when graded again."""

from __future__ import annotations

from pathlib import Path

import pytest

import assay
from assay.benchmarks import load_suite
from assay.evaluation import Budget, Settings
from assay.evaluation.regrade import regrade
from assay.grading.runs import Runs, runs_of
from assay.models.scripted import ScriptedServer, by_turn, call
from assay.scoring import read_attempts
from assay.scoring.scorecards.first_runs import first_runs
from tests.tasks.examples import GOLD, masked_task

RUN = "cd /workspace && python3 run.py 2>&1 | tail -5"
FIX = f"cat > /workspace/steps.py <<'END'\n{GOLD.decode()}END"


def _tried(suite: Path, logs: Path, monkeypatch: pytest.MonkeyPatch, *commands: str) -> None:
    script = by_turn(
        [*(call("bash", command=command) for command in commands), call("submit", answer="done")]
    )
    with ScriptedServer(script) as server:
        for name, value in server.environment.items():
            monkeypatch.setenv(name, value)
        assay.run(
            load_suite(suite).only(limit=1),
            agent=["react"],
            model=["openai-api/scripted/any"],
            settings=Settings(logs=str(logs), budget=Budget(turns=6), service_seconds=20.0),
        )


def test_a_crash_and_the_recovery_from_it_are_noted_and_survive_regrading(
    suite: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _tried(suite, tmp_path / "logs", monkeypatch, RUN, FIX, "python3 /workspace/run.py")

    (attempt,) = read_attempts(tmp_path / "logs")

    assert attempt.passed is True
    assert attempt.runs == Runs(made=2, first_crashed=True, recovered=True)
    regrade(tmp_path / "logs", tmp_path / "again")
    (again,) = read_attempts(tmp_path / "again")
    assert again.runs == attempt.runs
    (row,) = first_runs([attempt])
    assert (row.crashed.passed, row.crashed.attempts, row.recovered.passed, row.never) == (1, 1, 1, 0)


def test_a_second_run_asks_the_service_at_its_new_address(
    suite: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Inspect keeps a model by its name, with the address of the first run."""
    for name in ("first", "second"):
        _tried(suite, tmp_path / name, monkeypatch, FIX)
        (attempt,) = read_attempts(tmp_path / name)
        assert attempt.passed is True


def test_who_never_runs_it_is_told_apart_from_who_runs_it_well() -> None:
    task = masked_task()

    assert runs_of(task, [("bash -c 'ls'", 0, "run.py")]) == Runs(made=0)
    assert runs_of(task, [("bash -c './venv/bin/python -u run.py'", 0, "")]) == Runs(
        made=1, first_crashed=False
    )
    assert runs_of(task, [("python3 other_run.py", 1, "")]) == Runs(made=0)
    assert runs_of(task, [("python3 run.pyc", 1, "")]) == Runs(made=0)
    crashed = [("python run.py", None, ""), ("python run.py", 1, "")]
    assert runs_of(task, crashed) == Runs(made=2, first_crashed=True, recovered=False)
