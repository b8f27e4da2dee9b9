"""A worker of a cluster, as Slurm starts it, without Slurm: real processes, real logs, real signals."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest
from typer.testing import CliRunner

import assay
from assay.benchmarks import load_suite
from assay.cli import app
from assay.evaluation import PlannedAttempt, Settings
from assay.evaluation.engines.batches import make_batches
from assay.evaluation.engines.folder_link import EventFiles, FolderLink
from assay.evaluation.engines.run_folder import make_order, write_order
from assay.evaluation.engines.work import EngineWork
from assay.evaluation.events import Finished, Started
from assay.evaluation.models import NO_MODEL
from assay.evaluation.running import Plan
from assay.files import publish
from assay.scoring import read_attempts
from tests.evaluation.engines.conftest import SLOW_AND_RIGHT, graded_samples

WAITS = """
import pathlib
import anyio
from inspect_ai.solver import solver
from inspect_ai.util import sandbox


@solver
def waits():
    async def solve(state, generate):
        text = await sandbox().read_file("/workspace/steps.py")
        right = text.replace('raise NotImplementedError("masked: scale")', "return value * 3.0")
        await sandbox().write_file("/workspace/steps.py", right)
        pathlib.Path({ready!r}).touch()
        await anyio.sleep(600)
        return state
    return solve
"""


def write_run(suite: Path, logs: Path, agent: str, tasks: list[str]) -> Path:
    """The folder of a run with one batch."""
    loaded = load_suite(suite)
    attempts = [PlannedAttempt(agent, NO_MODEL, task, 1) for task in tasks]
    work = EngineWork(Plan(loaded, attempts, attempts), Settings(logs=str(logs)))
    order = make_order(work)
    write_order(order, make_batches(work.tasks, work.settings, attempts, size=len(attempts)))
    publish(order.folder / "arrays" / "0.json", "[0]")
    return order.folder


def start(folder: Path) -> subprocess.Popen[str]:
    """A worker for the batch."""
    program = [sys.executable, "-m", "assay.evaluation.engines.slurm_worker", str(folder), "0", "0"]
    return subprocess.Popen(program, stderr=subprocess.PIPE, text=True)


def wait_until(folder: Path, kind: type, count: int) -> None:
    """Wait for so many events of a kind."""
    events, reader = [], EventFiles(folder)
    while sum(isinstance(event, kind) for event in events) < count:
        events += reader.new_events()
        time.sleep(0.05)


@pytest.mark.long
def test_a_batch_that_another_worker_began_goes_on_without_finished_attempts(
    suite: Path, tmp_path: Path
) -> None:
    logs = tmp_path / "logs"
    folder = write_run(suite, logs, "oracle", ["toy_0", "toy_1"])
    assert not FolderLink(folder, "other").begin_batch(0)
    assay.run(load_suite(suite).only(["toy_0"]), agent="oracle", logs=logs, progress=False)
    assert start(folder).wait() == 0
    assert graded_samples(logs) == {("oracle", "toy_0", 1): 1, ("oracle", "toy_1", 1): 1}
    assert {attempt.task: attempt.machine["node"] for attempt in read_attempts(logs)}[
        "toy_1"
    ] == socket.gethostname()


@pytest.mark.long
def test_a_batch_whose_worker_was_killed_goes_on_without_finished_attempts(
    suite: Path, tmp_path: Path
) -> None:
    logs = tmp_path / "logs"
    folder = write_run(suite, logs, f"command:{SLOW_AND_RIGHT}", ["toy_0", "toy_1"])
    first = start(folder)
    wait_until(folder, Finished, 1)
    first.kill()
    first.communicate()
    assert sum(graded_samples(logs).values()) == 1
    assert start(folder).wait() == 0
    assert sorted(graded_samples(logs).values()) == [1, 1]
    attempts = read_attempts(logs)
    assert [attempt.passed for attempt in attempts] == [True, True]
    assert {attempt.machine["node"] for attempt in attempts} == {socket.gethostname()}
    assert all(attempt.machine["processor"] and attempt.load is not None for attempt in attempts)
    split = json.loads(CliRunner().invoke(app, ["report", str(logs), "--by", "node", "--json"]).stdout)
    assert [(row["value"], row["attempts"]) for row in split["rows"]] == [(socket.gethostname(), 2)]


@pytest.mark.long
def test_an_attempt_hands_in_what_it_has_before_the_time_of_its_job_ends(suite: Path, tmp_path: Path) -> None:
    logs, ready = tmp_path / "logs", tmp_path / "ready"
    (tmp_path / "mine.py").write_text(WAITS.format(ready=str(ready)))
    folder = write_run(suite, logs, f"{tmp_path}/mine.py:waits", ["toy_0", "toy_1"])
    worker = start(folder)
    while not ready.exists():
        time.sleep(0.05)
    worker.send_signal(signal.SIGUSR1)
    _, message = worker.communicate()
    assert worker.returncode == 0, message
    note = json.loads((folder / "results" / "0.json").read_text())
    assert note == {"problem": None, "time_over": True}
    assert graded_samples(logs).total() == 1
    done = {attempt.task: attempt for attempt in read_attempts(logs)}
    assert (done["toy_0"].passed, done["toy_1"].passed) == (True, None)
    assert "was not begun" in (done["toy_1"].error or "")
    assert done["toy_1"].owner == "sandbox"


def test_workers_add_up_their_money_and_no_event_is_read_twice(tmp_path: Path) -> None:
    first, second = FolderLink(tmp_path, "n1"), FolderLink(tmp_path, "n2")
    assert first.total() == 0.0
    first.add(0.25)
    second.add(1.0)
    first.add(0.5)
    assert first.total() == second.total() == 1.75
    assert (first.begin_batch(7), second.begin_batch(7), second.begin_batch(8)) == (False, True, False)
    reader = EventFiles(tmp_path)
    started = Started("oracle", "toy_0", "n1")
    first.report(started)
    assert list(reader.new_events()) == [started]
    second.report(started)
    assert list(reader.new_events()) == [started]
    assert list(reader.new_events()) == []
