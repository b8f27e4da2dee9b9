"""Ctrl-C in the middle: one clear line, exit code 130, nothing finished is lost."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from assay.models.replies import Message, Reply, call
from assay.models.scripted import ScriptedServer
from tests.cli.conftest import Command

PROGRAM = "import sys; from assay.cli import main; sys.argv[0] = 'assay'; main()"


def start(words: list[str], environment: dict[str, str]) -> subprocess.Popen[str]:
    """`assay`, in a session of its own: a signal to its group reaches nobody else."""
    return subprocess.Popen(
        [sys.executable, "-c", PROGRAM, *words],
        env=os.environ | environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )


def first_quick_then_slow(messages: list[Message]) -> Reply:
    """Let the task `first` end at once; `second` waits for longer than the test takes."""
    answer = call("submit", answer="done")
    return answer if "first" in str(messages) else answer.after(60)


@pytest.mark.parametrize("interrupts", [1, pytest.param(2, marks=pytest.mark.long)])
def test_ctrl_c_keeps_what_is_finished_and_shows_no_traceback(
    assay: Command, tmp_path: Path, interrupts: int
) -> None:
    for name in ("first", "second"):
        assay("new", "masked", tmp_path / "suite" / name)
        question = tmp_path / "suite" / name / "instruction.md"
        question.write_text(f"{question.read_text()}\nThis is the task {name}.\n")
    logs = tmp_path / "logs"
    with ScriptedServer(first_quick_then_slow) as server:
        words = ["run", str(tmp_path / "suite"), "--logs", str(logs), "--turns", "1", "--no-preflight"]
        process = start([*words, "--model", "openai-api/scripted/any"], server.environment)
        assert process.stdout is not None
        lines = [process.stdout.readline()]
        while lines[-1] and "[1/2]" not in lines[-1]:
            lines.append(process.stdout.readline())
        for _ in range(interrupts):
            os.killpg(process.pid, signal.SIGINT)
        output = "".join([*lines, process.communicate(timeout=120)[0]])
    assert process.returncode == 130, output
    assert "Traceback" not in output
    if interrupts == 1:
        assert "stopped; what is finished is kept" in output
        (row,) = json.loads(assay("report", logs, "--json").out)["agents"]
        assert row["suites"][0]["attempts"] == 1
