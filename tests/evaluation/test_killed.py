"""A run that is killed grades later what was handed in, and gives no agent a second attempt."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay.errors import UsageError
from assay.evaluation.pending import read_pending
from assay.evaluation.resume import waiting_attempts
from assay.models.scripted import ScriptedServer, by_turn, call
from assay.scoring import Attempt, read_record
from assay.scoring.scorecards.best_of_k import chosen_against_best
from assay.tasks import Task, save_task
from assay.tasks.template import template
from tests.evaluation.test_full_disk import fill, small_disk
from tests.tasks.examples import GOLD, masked_task

__all__ = ["small_disk"]

WAIT = b"""import os, sys, time
while %s not os.path.exists(os.path.join(sys.prefix, "go")):
    time.sleep(0.05)
"""
"""Holds a program of a task until the test makes the file `go` in the environment, which sandboxes show."""
MODEL = "openai-api/scripted/any"
SOLVE = f"cat > /workspace/steps.py <<'END'\n{GOLD.decode()}END"


class Held:
    """A suite whose grading waits until `go` is called, and the program that runs it."""

    def __init__(self, folder: Path) -> None:
        self.suite, self.logs = folder / "suite", folder / "logs"
        self.environment = folder / "environment"
        self.variables = {"ASSAY_TASK_ENVIRONMENT": str(self.environment)}
        venv.create(self.environment, with_pip=False, symlinks=True)

    def add(self, task: Task) -> None:
        """Put a task into the suite."""
        save_task(task, self.suite / task.id)

    def go(self) -> None:
        """Let every grading go on, from now on."""
        (self.environment / "go").touch()

    def command(self, *arguments: str) -> list[str]:
        """The command of a run."""
        words = [sys.executable, "-m", "assay", "run", str(self.suite), "--logs", str(self.logs)]
        return [*words, "--no-preflight", *arguments]

    @contextlib.contextmanager
    def start(self, *arguments: str) -> Iterator[subprocess.Popen[str]]:
        """Run in a process group of its own, which is killed at the end."""
        run = subprocess.Popen(
            self.command(*arguments),
            env=os.environ | self.variables,
            start_new_session=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            # Whoever runs the tests in the background has made its children deaf to SIGINT.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
        )
        try:
            yield run
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(run.pid, signal.SIGKILL)
            run.communicate()

    def stop_while_grading(self, *arguments: str, count: int = 1, by: signal.Signals = signal.SIGKILL) -> int:
        """Start a run, and stop it when so many attempts are handed in; its exit code."""
        with self.start(*arguments) as run:
            wait_until(lambda: len(self.pending) == count, run)
            os.killpg(run.pid, by)
            return run.wait()

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run to the end."""
        return subprocess.run(
            self.command(*arguments), env=os.environ | self.variables, capture_output=True, text=True
        )

    @property
    def pending(self) -> list[Path]:
        """The files of attempts that wait for their grade."""
        return sorted((self.logs / "pending").glob("*.json"))

    def attempts(self) -> list[Attempt]:
        """What the logs say, without anything odd."""
        record = read_record(self.logs)
        assert record.findings == []
        return record.attempts


@pytest.fixture
def held(tmp_path: Path) -> Held:
    return Held(tmp_path)


def wait_until(condition: Callable[[], bool], run: subprocess.Popen[str]) -> None:
    """Wait for something that a run does."""
    while not condition():
        if run.poll() is not None:
            raise AssertionError(run.stderr.read() if run.stderr is not None else "it ended")
        time.sleep(0.05)


def with_wait(task: Task, part: str, path: str, condition: str = "") -> Task:
    """A task one program of which is held."""
    files = dict(getattr(task, part))
    files[path] = WAIT % condition.encode() + files[path]
    return task.model_copy(update={part: files})


AT_GRADING = '"ASSAY_SEED" in os.environ and'


def masked(**changes: object) -> Task:
    """A task whose run is held with another seed, which only grading uses."""
    return with_wait(masked_task(**changes), "environment", "workspace/run.py", AT_GRADING)


TASKS: dict[str, Callable[[], Task]] = {
    "masked": masked,
    "experiment": lambda: with_wait(
        template("experiment", "dice"), "environment", "workspace/dice.py", AT_GRADING
    ),
    "challenge": lambda: with_wait(template("challenge", "fit"), "tests", "evaluate.py"),
}


@contextlib.contextmanager
def scripted(held: Held, *commands: str) -> Iterator[ScriptedServer]:
    """A model that gives these commands, and then hands in."""
    replies = [*(call("bash", command=command) for command in commands), call("submit", answer="done")]
    with ScriptedServer(by_turn(replies)) as server:
        held.variables |= server.environment
        yield server


@pytest.mark.parametrize("kind", TASKS)
def test_what_was_handed_in_is_graded_after_a_kill(held: Held, kind: str) -> None:
    held.add(TASKS[kind]())
    held.stop_while_grading("--agent", "oracle", "--uncertified")
    assert not (held.logs / "unfinished").exists() or kind == "challenge"
    held.go()
    again = held.run("--agent", "oracle", "--uncertified")
    assert again.returncode == 0, again.stderr
    (attempt,) = held.attempts()
    assert attempt.passed is True
    assert "restart" in [notice.flag for notice in attempt.notices]
    assert not (held.logs / "pending").exists()
    assert not (held.logs / "unfinished").exists()


REACT = ("--agent", "react", "--model", MODEL)


@pytest.mark.parametrize("turns", [0, pytest.param(20, marks=pytest.mark.long)])
def test_no_request_is_sent_again_and_the_log_has_what_the_attempt_used(
    held: Held, tmp_path: Path, turns: int
) -> None:
    held.add(masked())
    with scripted(held, SOLVE, *(["echo " + "a long text " * 20] * turns)) as server:
        held.stop_while_grading(*REACT)
        sent = len(server.requests)
        held.go()
        again = held.run(*REACT)
        assert again.returncode == 0, again.stderr
        assert len(server.requests) == sent == turns + 2

        (attempt,) = held.attempts()
        killed, held.logs = held.logs, tmp_path / "plain"
        held.run(*REACT)
        (plain,) = held.attempts()
    assert attempt.tokens == plain.tokens > 0
    assert attempt.submission == plain.submission
    assert attempt.asked == plain.asked
    assert attempt.seconds
    assert [verdict.item for verdict in attempt.verdicts] == [verdict.item for verdict in plain.verdicts]
    assert (attempt.passed, plain.passed) == (True, True)
    assert "restart" not in [notice.flag for notice in plain.notices]
    assert conversation(killed, attempt) == conversation(tmp_path / "plain", plain)


def conversation(logs: Path, attempt: Attempt) -> list[tuple[str, str]]:
    """What is said in an attempt, as its log has it, and what its events say of that."""
    from inspect_ai.event import ModelEvent
    from inspect_ai.log import read_eval_log_sample

    assert Path(attempt.log).parent == logs
    sample = read_eval_log_sample(attempt.log, uuid=attempt.sample, resolve_attachments=True)
    said = [message for event in sample.events if isinstance(event, ModelEvent) for message in event.input]
    every = [(message.role, message.text) for message in (*sample.messages, *said)]
    return [(role, text) for role, text in every if not text.startswith("Left of your budget")]


@pytest.mark.parametrize("stop", [signal.SIGKILL, pytest.param(signal.SIGINT, marks=pytest.mark.long)])
def test_each_of_several_attempts_in_several_processes_is_made_once(held: Held, stop: signal.Signals) -> None:
    for number in range(2):
        held.add(masked(id=f"toy_{number}"))
    with scripted(held, SOLVE) as server:
        options = (*REACT, "--epochs", "2", "--processes", "2")
        held.stop_while_grading(*options, count=4, by=stop)
        assert len(held.pending) == 4
        sent = len(server.requests)
        held.go()
        again = held.run(*options)
        assert again.returncode == 0, again.stderr
        assert len(server.requests) == sent == 8
    keys = [(attempt.task, attempt.epoch) for attempt in held.attempts()]
    assert sorted(keys) == [("toy_0", 1), ("toy_0", 2), ("toy_1", 1), ("toy_1", 2)]
    assert {attempt.outcome for attempt in held.attempts()} == {"passed"}
    assert not (held.logs / "pending").exists()


def test_the_first_interrupt_keeps_what_was_handed_in(held: Held) -> None:
    held.add(masked())
    assert held.stop_while_grading("--agent", "oracle", by=signal.SIGINT) == 130
    held.go()
    assert held.run("--agent", "oracle").returncode == 0
    assert [attempt.outcome for attempt in held.attempts()] == ["passed"]


@pytest.mark.long
def test_candidates_are_graded_too(held: Held) -> None:
    held.add(masked())
    answers = [
        f"FILE: steps.py\n```python\n{GOLD.decode().replace('value * 3.0', body)}```"
        for body in ("value * 4.0", "value * 3.0")
    ]
    with ScriptedServer(answers) as server:
        held.variables |= server.environment
        options = ("--agent", "best_of[k=2]", "--model", MODEL)
        held.stop_while_grading(*options)
        held.go()
        again = held.run(*options)
        assert again.returncode == 0, again.stderr
        assert len(server.requests) == 2
    (attempt,) = held.attempts()
    (row,) = chosen_against_best([attempt])
    assert (row.attempts, row.k, row.chosen, row.best) == (1, 2, 0, 1)


@pytest.mark.long
def test_a_challenge_that_goes_on_after_a_kill_is_handed_in_once(held: Held) -> None:
    """The ledger of an interrupted attempt and the file of one that is handed in go together."""
    held.add(TASKS["challenge"]())
    command = "test -e ~/stop || sleep 600"
    with scripted(held, "cp /workspace/points.json /workspace/fit.py", command) as server:
        with held.start(*REACT, "--seconds", "32", "--uncertified") as run:
            wait_until(lambda: any(held.logs.glob("unfinished/*/*.tar")), run)
            os.killpg(run.pid, signal.SIGKILL)
        assert held.pending == []
        held.stop_while_grading(*REACT, "--seconds", "32", "--uncertified")
        sent = len(server.requests)
        held.go()
        again = held.run(*REACT, "--seconds", "32", "--uncertified")
        assert again.returncode == 0, again.stderr
        assert len(server.requests) == sent
    (attempt,) = held.attempts()
    assert (attempt.limit, attempt.passed) == ("time", False)
    assert (attempt.seconds or 0) >= 32
    assert attempt.checkpoints
    assert not (held.logs / "unfinished").exists()


def test_an_attempt_that_is_killed_in_the_middle_is_made_again(held: Held) -> None:
    held.add(masked_task())
    with scripted(held, "sleep 600") as server:
        with held.start(*REACT) as run:
            wait_until(lambda: len(server.requests) == 1, run)
            os.killpg(run.pid, signal.SIGKILL)
        assert not (held.logs / "pending").exists()
    with scripted(held, SOLVE):
        again = held.run(*REACT)
    assert again.returncode == 0, again.stderr
    (attempt,) = held.attempts()
    assert attempt.passed is True
    assert "restart" not in [notice.flag for notice in attempt.notices]


def damaged(data: bytes) -> bytes:
    return data.replace(b'"passed"', b'"failed"').replace(b"toy", b"tox")


def replaced(path: Path) -> None:
    path.unlink()
    path.mkdir()


DAMAGE: dict[str, Callable[[Path], object]] = {
    "cut": lambda path: path.write_bytes(path.read_bytes()[:-100]),
    "empty": lambda path: path.write_bytes(b""),
    "edited": lambda path: path.write_bytes(damaged(path.read_bytes())),
    "renamed": lambda path: path.rename(path.with_name("f" * 32 + ".json")),
    "a folder": replaced,
    "foreign": lambda path: path.with_name("notes.txt").write_text("mine"),
}


def test_a_file_that_is_not_as_assay_wrote_it_is_refused_in_a_line(held: Held) -> None:
    held.add(masked())
    held.stop_while_grading("--agent", "oracle")
    (path,) = held.pending
    good = path.read_bytes()
    held.go()
    for name, damage in DAMAGE.items():
        damage(path)
        with pytest.raises(UsageError, match="is not an attempt that waits for its grade") as refused:
            assay.run(held.suite, agent="oracle", logs=held.logs, progress=False, preflight=False)
        assert str(held.logs / "pending") in refused.value.message, name
        assert "remove the file" in (refused.value.hint or "")
        for left in (held.logs / "pending").iterdir():
            left.rmdir() if left.is_dir() else left.unlink()
        path.write_bytes(good)

    path.write_bytes(good[:-1])
    program = held.run("--agent", "oracle")
    assert program.returncode == 2
    assert "Traceback" not in program.stderr
    (line,) = [line for line in program.stderr.splitlines() if line.startswith("error:")]
    assert str(path) in line
    path.write_bytes(good)

    (archive,) = held.logs.glob("submissions/*.tar")
    archive.rename(held.logs / "away.tar")
    with pytest.raises(UsageError, match="cannot be graded: submission") as refused:
        assay.run(held.suite, agent="oracle", logs=held.logs, progress=False, preflight=False)
    assert str(path) in refused.value.message
    (held.logs / "away.tar").rename(archive)

    assert held.run("--agent", "oracle").returncode == 0
    assert [attempt.outcome for attempt in held.attempts()] == ["passed"]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)
PARTS = st.fixed_dictionaries(dict.fromkeys(("log", "spec", "sample", "taken"), JSON))


@given(st.binary() | (JSON | PARTS).map(lambda value: json.dumps(value).encode()), st.booleans())
def test_any_other_contents_are_refused(text: bytes, has_checksum: bool) -> None:
    checksum = hashlib.sha256(text).hexdigest().encode() + b"\n" if has_checksum else b""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "0.json"
        path.write_bytes(checksum + text)
        with pytest.raises(UsageError, match="is not an attempt"):
            read_pending(path)


def test_a_task_that_has_changed_since_is_refused_and_other_agents_are_left_alone(held: Held) -> None:
    held.add(masked())
    held.stop_while_grading("--agent", "oracle")
    held.go()
    assert held.run("--agent", "idle").returncode == 0
    assert len(held.pending) == 1, "it is the oracle's"

    instruction = held.suite / "toy_0" / "instruction.md"
    before = instruction.read_text()
    instruction.write_text(before + "Be quick.\n")
    refused = held.run("--agent", "oracle")
    assert refused.returncode == 2
    assert f"{held.pending[0]} was handed in at another state of the task 'toy_0'" in refused.stderr
    instruction.write_text(before)
    assert held.run("--agent", "oracle").returncode == 0
    assert [(attempt.agent, attempt.outcome) for attempt in held.attempts()] == [
        ("idle", "failed"),
        ("oracle", "passed"),
    ]


@pytest.mark.long
def test_a_second_pass_grades_what_a_killed_run_left(held: Held) -> None:
    held.add(masked())
    with scripted(held, SOLVE) as server:
        held.stop_while_grading(*REACT)
        held.go()
        again = held.run(*REACT, "--grade-on", "local")
        assert again.returncode == 0, again.stderr
        assert len(server.requests) == 2
    assert [attempt.outcome for attempt in held.attempts()] == ["passed"]
    assert not (held.logs / "pending").exists()


@pytest.mark.long
def test_the_command_without_a_second_pass_grades_what_the_first_pass_left(held: Held) -> None:
    held.add(masked())
    with scripted(held, SOLVE) as server:
        with held.start(*REACT, "--grade-on", "local") as run:
            wait_until(lambda: bool(waiting_attempts(held.logs)), run)
            os.killpg(run.pid, signal.SIGKILL)
        held.go()
        again = held.run(*REACT)
        assert again.returncode == 0, again.stderr
        assert len(server.requests) == 2
    (attempt,) = read_record(held.logs).attempts
    assert (attempt.outcome, attempt.notices) == ("passed", [])


@pytest.mark.long
def test_a_grade_that_is_in_the_log_is_not_made_again(held: Held) -> None:
    """A kill between the log and the removal of the file."""
    held.add(masked())
    held.stop_while_grading("--agent", "oracle")
    (path,) = held.pending
    good = path.read_bytes()
    held.go()
    assert held.run("--agent", "oracle").returncode == 0
    path.parent.mkdir()
    path.write_bytes(good)
    assert held.run("--agent", "oracle", "--agent", "idle").returncode == 0
    assert [attempt.agent for attempt in held.attempts()] == ["idle", "oracle"]
    assert not (held.logs / "pending").exists()


def test_a_full_disk_is_named_and_the_attempt_is_graded(held: Held, small_disk: Path) -> None:
    held.add(masked())
    held.logs.mkdir()
    (small_disk / "pending").mkdir()
    (held.logs / "pending").symlink_to(small_disk / "pending")
    fill(small_disk)
    held.go()
    done = held.run("--agent", "oracle")
    assert done.returncode == 0, done.stderr
    assert f"the disk that holds {held.logs / 'pending'} is full" in done.stderr
    (attempt,) = held.attempts()
    assert attempt.passed is True
    assert any("is full" in notice.evidence for notice in attempt.notices)
