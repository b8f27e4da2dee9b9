"""The processes of a run: equal shares, one warm parent, and no process that outlives its run."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.evaluation import PlannedAttempt
from assay.evaluation.resume import finished_attempts, log_files
from assay.evaluation.workers import deal

PROGRAM = """
import sys, assay
from assay.evaluation import Settings
try:
    assay.run(
        assay.load_suite(sys.argv[1]).only(limit=2),
        agent="command:" + sys.argv[3],
        settings=Settings(logs=sys.argv[2]),
        processes=2,
        progress=False,
        on_start=lambda _: print("begun", flush=True),
    )
except assay.AssayError as error:
    print(error.message, flush=True)
"""


def start(suite: Path, logs: Path, command: str) -> subprocess.Popen[str]:
    """A run in two processes that has begun an attempt."""
    running = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, str(suite), str(logs), command],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        # Whoever runs the tests in the background has made its children deaf to SIGINT.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    assert running.stdout is not None
    said = []
    for line in running.stdout:
        said.append(line)
        if line == "begun\n":
            return running
    raise AssertionError("".join(said))


def children(pid: int) -> list[int]:
    """The processes that a process has started and that live."""
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def interrupt_waits(pid: int) -> bool:
    """Whether a process that is stopped has been sent an interrupt."""
    (line,) = (
        line for line in Path(f"/proc/{pid}/status").read_text().splitlines() if line.startswith("ShdPnd")
    )
    return bool(int(line.split()[1], 16) & 1 << (signal.SIGINT - 1))


@given(st.integers(1, 9), st.integers(1, 5), st.integers(1, 20))
def test_shares_are_equal_and_hold_every_attempt_once(tasks: int, epochs: int, processes: int) -> None:
    attempts = [
        PlannedAttempt("oracle", "none/none", str(task), number)
        for number in range(epochs)
        for task in range(tasks)
    ]
    shares = deal(attempts, processes)
    assert Counter(attempt for share in shares for attempt in share) == Counter(attempts)
    assert max(map(len, shares)) - min(map(len, shares)) <= 1
    assert min(map(len, shares)) >= 1


def test_no_process_gets_all_attempts_at_one_task() -> None:
    attempts = [
        PlannedAttempt("oracle", "none/none", str(task), number) for number in range(8) for task in range(4)
    ]
    for share in deal(attempts, 4):
        assert Counter(attempt.task for attempt in share) == {str(task): 2 for task in range(4)}


STOPS = [
    signal.SIGINT,
    pytest.param(signal.SIGTERM, marks=pytest.mark.long),
    pytest.param(signal.SIGKILL, marks=pytest.mark.long),
]


@pytest.mark.parametrize("stop", STOPS)
def test_no_process_outlives_a_run_that_is_stopped(suite: Path, tmp_path: Path, stop: signal.Signals) -> None:
    running = start(suite, tmp_path / "logs", "sleep 600")
    os.kill(running.pid, stop)
    assert running.stdout is not None
    running.stdout.read()  # ends when the last process that could write to it is gone
    assert running.wait() != 0
    assert finished_attempts(tmp_path / "logs") == set()


@pytest.mark.long
def test_a_second_interrupt_kills_processes_that_do_not_end(suite: Path, tmp_path: Path) -> None:
    running = start(suite, tmp_path / "logs", "sleep 600")
    (nursery,) = children(running.pid)
    workers = children(nursery)
    for worker in workers:
        os.kill(worker, signal.SIGSTOP)
    os.kill(running.pid, signal.SIGINT)
    while not all(interrupt_waits(worker) for worker in workers):
        time.sleep(0.01)
    os.kill(running.pid, signal.SIGINT)
    assert running.stdout is not None
    running.stdout.read()
    assert running.wait() != 0


@pytest.mark.long
def test_a_process_that_is_killed_is_named_and_the_others_finish(suite: Path, tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    running = start(suite, logs, "sleep 3")
    (nursery,) = children(running.pid)
    os.kill(children(nursery)[0], signal.SIGKILL)
    assert running.stdout is not None
    assert "1 of 2 processes ended early (exit -9)" in running.stdout.read()
    assert running.wait() == 0
    assert len(finished_attempts(logs)) == 1
    assert len(log_files(logs)) == 2
