"""The folder and the services of a reader who follows a page: a task, logs, an agent, a model over HTTP."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import signal
import subprocess
from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from urllib.request import urlopen

from assay.models.scripted import Message, Reply, ScriptedServer, call
from tests.benchmarks.published_experiments import write_tasks
from tests.benchmarks.published_rows import write_own
from tests.docs.markdown_blocks import Block, read_blocks
from tests.docs.pages import ROOT
from tests.reviewing.small_curation import draft, write_curation

ADDRESS = re.compile(r"http://127\.0\.0\.1:\d+/\S*")
MY_AGENT = """
from inspect_ai.agent import Agent, agent, react
from inspect_ai.tool import bash


@agent
def my_agent() -> Agent:
    return react(prompt="Work in /workspace until the task is done.", tools=[bash()])
"""


def break_everything(messages: list[Message]) -> Reply:
    """What the scripted model does: it breaks every program, so that grading is short, and submits.

    Some tasks begin with a working program, a baseline that grading would train.
    """
    if any(message["role"] == "tool" for message in messages):
        return call("submit", answer="done")
    return call("bash", command="for file in *.py; do echo 'raise SystemExit(1)' > $file; done")


@dataclass(frozen=True)
class Reader:
    """Runs the blocks of pages in one folder, in order, as a reader would."""

    folder: Path
    environment: dict[str, str]
    model: dict[str, str]
    """The variables with which OpenAI's client finds the scripted model."""

    def prepare(self) -> None:
        """Make what a reader has after the first tutorials, and what pages say is the reader's own."""
        (self.folder / "my_agent.py").write_text(MY_AGENT)
        self.shell("assay new masked my-task")
        self.shell("assay run my-task --agent oracle --agent idle --logs logs")
        for week in ("2026-11-08", "2026-11-15"):
            shutil.copytree(self.folder / "logs", self.folder / "runs" / week)
        shutil.copytree(ROOT / "examples", self.folder / "examples")
        write_curation(self.folder, [draft()])
        write_tasks(self.folder / "expbench-copy")
        write_own(self.folder / "autoexperiment-copy")
        hand_in = self.folder / "hand-ins" / "next-terms"
        hand_in.mkdir(parents=True)
        (hand_in / "solve.py").write_text("print(0)\n")

    def follow(self, page: Path) -> None:
        """Run every block of a page that is run."""
        for block in read_blocks(page):
            if block.file:
                target = self.folder / block.file
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_text(block.body)
            elif block.is_run and block.serves:
                for line in block.commands:
                    self.visit(line, block)
            elif block.is_run:
                server = ScriptedServer(break_everything, port=8000) if block.needs_server else nullcontext()
                variables = self.model if block.needs_model else {}
                with server:
                    check_output(block, self.shell(block.script, block, variables))

    def shell(
        self, script: str, block: Block | None = None, variables: Mapping[str, str] | None = None
    ) -> str:
        """What a script prints; it must end with the exit code that its block states."""
        variables_of_reader = {"PYTHONPATH": str(self.folder / "site")}
        if block and _fetches(block.page):
            variables_of_reader["ASSAY_CACHE"] = str(self.folder / "cache")
        process = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", script],
            cwd=self.folder,
            env={**self.environment, **variables_of_reader, **(variables or {})},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
        )
        expected, place = (block.exit_code, block.place) if block else (0, "")
        assert process.returncode == expected, (
            f"{place}: exit {process.returncode}\n{script}\n{process.stdout}"
        )
        return process.stdout

    def visit(self, line: str, block: Block) -> None:
        """Start a command that serves a page, open the address that it prints, and interrupt it."""
        process = subprocess.Popen(
            shlex.split(line, comments=True),
            cwd=self.folder,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        printed = ""
        assert process.stdout is not None
        while not (address := ADDRESS.search(printed)):
            text = process.stdout.readline()
            assert text, f"{block.place}: {line} ended without an address\n{printed}"
            printed += text
        with urlopen(address[0]) as answer:
            assert answer.status == 200
        process.send_signal(signal.SIGINT)
        rest, _ = process.communicate(timeout=60)
        assert process.returncode in (0, 130), f"{block.place}: exit {process.returncode}\n{printed}{rest}"


def _fetches(page: Path) -> bool:
    """Whether a block that is run fetches a benchmark, which must not replace the one in the user's cache."""
    return any(block.is_run and "assay fetch" in block.body for block in read_blocks(page))


def reader_environment() -> dict[str, str]:
    """The environment without keys of this machine."""
    kept = {name: value for name, value in os.environ.items() if not name.endswith(("_API_KEY", "_BASE_URL"))}
    return {**kept, "COLUMNS": "100", "NO_COLOR": "1", "TERM": "dumb"}


def check_output(block: Block, printed: str) -> None:
    """Each line of output that the page shows is printed, whatever its numbers and spaces."""
    real = [_shape(line) for line in printed.splitlines()]
    for line in block.output:
        head = _shape(line.partition("…")[0])
        assert any(candidate.startswith(head) for candidate in real), (
            f"{block.place}: the page shows {line!r}, and the command prints:\n{printed}"
        )


def _shape(line: str) -> str:
    return re.sub(r"\d+(?:[.,]\d+)*", "#", " ".join(line.split()))
