"""A person at a terminal, played by a script that types into the same terminal."""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import subprocess
import sys
import time
from base64 import b64encode
from pathlib import Path

import pytest

from assay.api.tasks import new
from assay.tasks.kinds import MASKED
from tests.agents.attempts import gold_of_new_task, read_attempts

RUN = """
import sys
from assay.evaluation import Settings, run
from assay.benchmarks import load_suite
run(load_suite(sys.argv[2]), agents=["human"], settings=Settings(logs=sys.argv[1], uncertified=True))
"""


def way_in(evaluation: subprocess.Popen[str]) -> str:
    """The command that the evaluation prints for the person."""
    assert evaluation.stdout is not None
    for line in evaluation.stdout:
        if "assay.sandbox.session.shell" in line:
            return line.strip()
    raise AssertionError("no way into the sandbox was printed")


def type_in(command: str, lines: list[str]) -> str:
    """Type lines into the terminal, each after the last has had its effect, and give what it showed."""
    terminal = subprocess.Popen(
        shlex.split(command), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    assert terminal.stdin is not None
    assert terminal.stdout is not None
    shown = b""
    os.set_blocking(terminal.stdout.fileno(), False)
    for number, line in enumerate(lines):
        mark = f"typed-{number}"
        with contextlib.suppress(BrokenPipeError):
            terminal.stdin.write(f"{line}; echo typed-''{number}\n".encode())
            terminal.stdin.flush()
        until = time.monotonic() + 60
        while mark.encode() not in shown and time.monotonic() < until and terminal.poll() is None:
            shown += terminal.stdout.read() or b""
            time.sleep(0.05)
    terminal.kill()
    terminal.wait()
    return shown.decode(errors="replace")


@pytest.mark.long
def test_a_person_who_solves_the_task_passes(tmp_path: Path) -> None:
    [(path, data)] = gold_of_new_task(MASKED).items()
    logs, task = tmp_path / "logs", tmp_path / "task"
    new(MASKED, task)
    evaluation = subprocess.Popen(
        [sys.executable, "-u", "-c", RUN, str(logs), str(task)], stdout=subprocess.PIPE, text=True
    )
    try:
        shown = type_in(
            way_in(evaluation),
            [
                "until task status; do sleep 0.5; done",
                f"echo {b64encode(data).decode()} | base64 -d > /workspace/{path}",
                "echo y | task submit",
            ],
        )
        evaluation.communicate(timeout=120)
    finally:
        evaluation.kill()
    [seen] = read_attempts(logs)
    assert re.search(r"Status|status|running", shown), shown
    assert seen.grade.passed is True, (seen.names, shown)
    assert seen.agent == "human"
