"""A user's own agent, from a file or as a program."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest

from assay import new
from assay.agents import Budget, find_agent, roster
from assay.errors import UsageError
from assay.scoring import read_attempts
from assay.tasks.kinds import MASKED
from assay.workspace import Submission
from tests.agents.attempts import attempts_at_new_task, gold_of_new_task
from tests.cli.conftest import Command, assay

__all__ = ["assay"]

FILE = """
from inspect_ai.agent import Agent, AgentState, agent
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.util import sandbox

NEEDS_MODEL = False
GOLD = {gold!r}


@agent
def writer() -> Agent:
    '''Writes what it knows.'''

    async def execute(state: AgentState) -> AgentState:
        for path, text in GOLD.items():
            await sandbox().write_file("/workspace/" + path, text)
        return state

    return execute


@solver
def breaks() -> Solver:
    async def solve(state: TaskState, generate: Generate) -> TaskState:
        await sandbox().write_file("/workspace/half.txt", "half done")
        raise ValueError("my agent has a bug")

    return solve


@agent
def wants(what: str) -> Agent:
    async def execute(state: AgentState) -> AgentState:
        return state

    return execute


ready = writer()
not_an_agent = 3
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A file with agents in it."""
    gold = {path: data.decode() for path, data in gold_of_new_task(MASKED).items()}
    path = tmp_path / "mine.py"
    path.write_text(FILE.format(gold=gold))
    return path


@pytest.mark.parametrize("name", ["writer", "ready"])
def test_an_agent_of_a_file_is_found_by_its_name(name: str, file: Path) -> None:
    entry = find_agent(f"{file}:{name}")
    assert (entry.name, entry.role, entry.needs_model) == (name, "agent", False)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("absent", "has no 'absent'"),
        ("not_an_agent", "neither an Inspect agent or solver"),
        ("wants", "cannot be made without arguments"),
    ],
)
def test_what_is_no_agent_is_refused(name: str, message: str, file: Path) -> None:
    with pytest.raises(UsageError, match=message) as raised:
        find_agent(f"{file}:{name}")
    assert raised.value.hint


def test_a_file_that_is_not_there_or_does_not_run_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there is no file"):
        find_agent(f"{tmp_path}/absent.py:agent")
    (tmp_path / "broken.py").write_text("import does_not_exist_anywhere")
    with pytest.raises(UsageError, match="cannot be imported: ModuleNotFoundError"):
        find_agent(f"{tmp_path}/broken.py:agent")


def test_an_agent_that_crashes_is_graded_on_what_it_left(file: Path, tmp_path: Path) -> None:
    good, bad = sorted(
        attempts_at_new_task(tmp_path, MASKED, [f"{file}:writer", f"{file}:breaks"]),
        key=lambda seen: seen.agent,
        reverse=True,
    )
    assert (good.agent, good.grade.passed) == ("writer", True)
    assert (bad.agent, bad.grade.passed) == ("breaks", False)
    assert "my agent has a bug" in bad.notes["crash"]


def test_a_program_gets_the_instruction_and_is_graded_on_files(tmp_path: Path) -> None:
    [(path, data)] = gold_of_new_task(MASKED).items()
    program = (
        f'bash -c \'printf %s "$1" > said.txt; cmp said.txt /tmp/instruction.md && '
        f'test "$ASSAY_INSTRUCTION" = "$1" && printf %s "$2" > {path}; echo finished; exit 3\' '
        f"mytool {{instruction}} {shlex.quote(data.decode())}"
    )
    [seen] = attempts_at_new_task(tmp_path, MASKED, [f"command:{program}"])
    assert seen.agent == "bash"
    assert seen.grade.passed is True, seen.names
    assert "finished" in seen.sample.output.completion


def test_a_program_brings_files_and_a_name_of_its_own(assay: Command, tmp_path: Path) -> None:
    new("masked", tmp_path / "task")
    (tmp_path / "mine" / "inner").mkdir(parents=True)
    (tmp_path / "mine" / "inner" / "scale.py").write_text("def scale(value):\n    return 3.0 * value\n")
    program = tmp_path / "mine" / "start"
    program.write_text("#!/bin/sh\ncp $ASSAY_AGENT_FILES/inner/scale.py method.py\n")
    program.chmod(0o755)
    words = ["run", tmp_path / "task", "--agent-command", "{files}/start", "--agent-name", "copier"]
    done = assay(*words, "--agent-files", tmp_path / "mine", "--logs", tmp_path / "logs", "--json")
    assert done.code == 0, done.err
    (card,) = json.loads(done.out)["agents"]
    assert (card["agent"], card["suites"][0]["passed"]) == ("copier", 1)
    (attempt,) = read_attempts(tmp_path / "logs")
    submission = Submission.load(tmp_path / "logs" / "submissions", attempt.submission)
    assert set(submission.files) == {"method.py"}


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["--agent", "idle", "--agent-name", "x"], "belong to --agent-command"),
        (["--agent-command", "true", "--agent-name", "a b"], "--agent-name is 'a b'"),
        (["--agent-command", "true", "--agent-files", "nowhere"], "is no folder"),
        (
            ["--agent-command", "sh -c true", "--agent-command", "sh -c false"],
            "two agents have the name 'sh'",
        ),
        (["--agent-command", "true", "--agent-command", "false", "--agent-name", "x"], "names one program"),
    ],
)
def test_a_program_that_is_not_described_well_is_refused(
    assay: Command, words: list[str], complaint: str
) -> None:
    refused = assay("run", "demo", *words)
    assert refused.code == 2
    assert complaint in refused.err


def test_each_program_that_is_given_makes_its_attempts(assay: Command, tmp_path: Path) -> None:
    new("masked", tmp_path / "task")
    words = ["run", tmp_path / "task", "--agent-command", "true", "--agent-command", "false"]
    done = assay(*words, "--logs", tmp_path / "logs")
    assert done.code == 0, done.err
    assert sorted(attempt.agent for attempt in read_attempts(tmp_path / "logs")) == ["false", "true"]


def test_a_program_ends_at_the_time_limit(tmp_path: Path) -> None:
    [seen] = attempts_at_new_task(tmp_path, MASKED, ["command:sleep 300"], budget=Budget(seconds=2))
    assert seen.notes["limit"] == "time"
    assert seen.grade.passed is False


@pytest.mark.parametrize(
    ("command", "name"), [("/opt/my-tool/run.sh {instruction}", "run.sh"), ("tool", "tool")]
)
def test_a_program_is_called_by_its_first_word(command: str, name: str) -> None:
    assert find_agent(f"command:{command}").name == name


@pytest.mark.parametrize("command", ["", "  ", "tool 'open"])
def test_a_command_that_cannot_be_read_is_refused(command: str) -> None:
    with pytest.raises(UsageError, match="agent command"):
        find_agent(f"command:{command}")


def test_an_unknown_agent_is_refused_with_the_nearest_names() -> None:
    with pytest.raises(
        UsageError, match="there is no agent 'oracel'; the nearest names are oracle"
    ) as raised:
        find_agent("oracel")
    assert "assay agents" in str(raised.value.hint)


def test_the_guide_names_every_agent_that_is_measured() -> None:
    """The calibrators have a page of their own, which is generated."""
    guide = (Path(__file__).parents[2] / "docs" / "agents.md").read_text()
    measured = [entry.name for entry in roster().values() if entry.role == "agent"]
    assert [name for name in measured if f"`{name}`" not in guide] == []
