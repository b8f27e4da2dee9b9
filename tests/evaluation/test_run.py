"""Running a suite: graded, logged as plain Inspect logs, resumed exactly, by one process or several."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

import inspect_ai
import pytest
from inspect_ai.log import read_eval_log

import assay
from assay.benchmarks import load_suite
from assay.errors import UsageError
from assay.evaluation import Settings
from assay.evaluation.resume import finished_attempts, log_files


def attempts_in(logs: Path) -> Counter[tuple[str, str, int]]:
    """How often each attempt stands in the logs as graded."""
    found: Counter[tuple[str, str, int]] = Counter()
    for path in log_files(logs):
        log = read_eval_log(str(path))
        assert log.eval.metadata is not None
        for sample in log.samples or []:
            if sample.scores and sample.error is None:
                number = sample.metadata["assay"]["attempts"][sample.epoch - 1]
                found[log.eval.metadata["assay"]["agent"], str(sample.id), number] += 1
    return found


def test_oracle_passes_idle_fails_and_a_second_run_does_nothing(suite: Path, tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    settings = Settings(logs=str(logs))
    chosen = load_suite(suite).only(limit=2)
    done = assay.run(chosen, agent=["oracle", "idle"], settings=settings)
    assert done.not_made == []
    told: list[object] = []
    again = assay.run(chosen, agent=["oracle", "idle"], settings=settings, on_finish=told.append)
    assert again.not_made == []
    assert told == []
    assert set(attempts_in(logs).values()) == {1}
    passed = {
        (path.name.split("_")[1], str(sample.id)): sample.scores["assay"].value
        for path in log_files(logs)
        for sample in read_eval_log(str(path)).samples or []
        if sample.scores
    }
    assert {value["passed"] for (agent, _), value in passed.items() if "oracle" in agent} == {1.0}
    assert {value["passed"] for (agent, _), value in passed.items() if "idle" in agent} == {0.0}


def test_two_runs_do_not_write_into_one_folder_at_the_same_time(suite: Path, tmp_path: Path) -> None:
    """Both made every attempt, and the log of the later one counted."""
    settings = Settings(logs=str(tmp_path / "logs"))
    refused: list[str] = []

    def start_another(started: object) -> None:
        with pytest.raises(UsageError, match="another run is writing into") as error:
            assay.run(load_suite(suite).only(limit=1), agent=["idle"], settings=settings)
        refused.append(error.value.hint or "")

    chosen = load_suite(suite).only(limit=1)
    done = assay.run(chosen, agent=["oracle"], settings=settings, on_start=start_another)
    assert done.not_made == []
    assert "--logs" in refused[0]
    assert assay.run(chosen, agent=["idle"], settings=settings).not_made == []


def test_more_epochs_later_add_only_what_is_missing(suite: Path, tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    settings = Settings(logs=str(logs))
    chosen = load_suite(suite).only(limit=2)
    assay.run(chosen.only(limit=1), agent=["oracle"], settings=settings)
    assay.run(chosen, agent=["oracle"], settings=settings, epochs=2)
    expected = {("oracle", f"toy_{task}", number): 1 for task in (0, 1) for number in (1, 2)}
    assert attempts_in(logs) == Counter(expected)


def test_a_changed_task_is_tried_again(suite: Path, tmp_path: Path) -> None:
    settings = Settings(logs=str(tmp_path / "logs"))
    assay.run(load_suite(suite).only(limit=1), agent=["idle"], settings=settings)
    (suite / "toy-0" / "instruction.md").write_text("Fill in `scale`, please.")
    told: list[object] = []
    assay.run(load_suite(suite).only(limit=1), agent=["idle"], settings=settings, on_finish=told.append)
    assert len(told) == 1


def test_no_log_holds_the_truth(suite: Path, tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    assay.run(load_suite(suite).only(limit=1), agent=["idle"], settings=Settings(logs=str(logs)))
    for path in log_files(logs):
        text = read_eval_log(str(path)).model_dump_json()
        assert "value * 3.0" not in text
        assert "broken/added" not in text


@pytest.mark.long
def test_several_processes_share_one_folder(suite: Path, tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    told: list[str] = []
    done = assay.run(
        suite,
        agent=["oracle"],
        settings=Settings(logs=str(logs)),
        processes=2,
        on_finish=lambda finished: told.append(finished.task),
    )
    assert done.not_made == []
    assert sorted(told) == [f"toy_{number}" for number in range(5)]
    assert set(attempts_in(logs).values()) == {1}
    assert len(log_files(logs)) == 2


@pytest.mark.parametrize("stop", [signal.SIGKILL, pytest.param(signal.SIGINT, marks=pytest.mark.long)])
def test_a_run_that_is_stopped_goes_on_without_loss_or_repetition(
    suite: Path, tmp_path: Path, stop: signal.Signals
) -> None:
    logs = tmp_path / "logs"
    command = [
        sys.executable,
        "-m",
        "assay",
        "run",
        str(suite),
        "--agent",
        "oracle",
        "--logs",
        str(logs),
        "--epochs",
        "2",
    ]
    first = subprocess.Popen(
        command,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        # Whoever runs the tests in the background has made its children deaf to SIGINT.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    assert first.stderr is not None
    told = []
    for line in first.stderr:
        if line.startswith("["):
            told.append(line)
        if len(told) == 3:
            os.kill(first.pid, stop)
            break
    first.stderr.read()
    assert first.wait() != 0
    before = finished_attempts(logs)
    assert 2 <= len(before) < 10
    announced: list[tuple[int, int]] = []
    assay.run(
        suite, agent="oracle", logs=logs, epochs=2, on_plan=lambda done, left: announced.append((done, left))
    )
    assert announced == [(len(before), 10 - len(before))]
    assert len(attempts_in(logs)) == 10
    assert set(attempts_in(logs).values()) == {1}


def check_plain_log(logs: Path) -> None:
    """The only log has one attempt that meets everything, and its submission is kept beside it."""
    (path,) = log_files(logs)
    (sample,) = read_eval_log(str(path)).samples or []
    assert sample.scores is not None
    assert sample.scores["assay"].value == {"passed": 1.0, "met": 1.0}
    assert len(list((logs / "submissions").glob("*.tar"))) == 1


def test_a_plain_inspect_eval_gives_the_same_scores(tmp_path: Path) -> None:
    chosen = {"agent": "oracle", "tasks": "assay.2402_2"}
    inspect_ai.eval("assay/demo", task_args=chosen, model=None, sandbox="bwrap", log_dir=str(tmp_path))
    check_plain_log(tmp_path)


@pytest.mark.long
def test_the_command_inspect_eval_gives_the_same_scores(tmp_path: Path) -> None:
    words = ["eval", "assay/demo", "-T", "agent=oracle", "-T", "tasks=assay.2402_2"]
    done = subprocess.run(
        [Path(sys.executable).parent / "inspect", *words, "--model", "none", "--sandbox", "bwrap"],
        env={**os.environ, "INSPECT_LOG_DIR": str(tmp_path)},
        capture_output=True,
        text=True,
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    check_plain_log(tmp_path)
