"""`local/smollm2` is a model like any other to Inspect, only smaller."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from inspect_ai import Task, eval
from inspect_ai.agent import AgentPrompt, react
from inspect_ai.dataset import Sample
from inspect_ai.log import EvalLog
from inspect_ai.model import ChatMessageAssistant, ChatMessageTool, GenerateConfig, Model, get_model
from inspect_ai.tool import Tool, ToolChoice, tool

from assay.errors import ModelUnavailable, UsageError
from assay.models import CATALOGUE
from assay.models.server_start import running_server

pytestmark = pytest.mark.anyio
LISTING = "data.csv  train.py"


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def model(smollm2: Path) -> Model:
    return get_model("local/smollm2", config=GenerateConfig(max_tokens=96, seed=1), memoize=False)


@tool
def weather() -> Tool:
    async def execute(city: str, days: int) -> str:
        """Tell the weather.

        Args:
            city: Where.
            days: For how many days.
        """
        return f"fair in {city} for {days} days"

    return execute


@tool(name="bash")
def harmless_shell() -> Tool:
    """Looks like Inspect's bash; what so small a model writes is not for running outside a sandbox."""

    async def execute(command: str) -> str:
        """Run a command in the shell.

        Args:
            command: The command.
        """
        return LISTING

    return execute


async def test_it_answers_and_its_server_counts_the_tokens(model: Model) -> None:
    output = await model.generate("Say hello.", config=GenerateConfig(max_tokens=8))
    assert output.completion
    assert output.usage is not None
    assert 0 < output.usage.output_tokens <= 8
    assert output.stop_reason in ("stop", "max_tokens")
    assert 0 < await model.count_tokens("four words are here") < 10


@pytest.mark.parametrize("choice", ["auto", pytest.param("any", marks=pytest.mark.long)])
async def test_offered_a_tool_it_makes_a_call_that_fits_the_tool(model: Model, choice: ToolChoice) -> None:
    output = await model.generate(
        "What will the weather be in Paris on 3 days?",
        tools=[weather()],
        tool_choice=choice,
        config=GenerateConfig(max_tokens=256),
    )
    if output.stop_reason == "max_tokens":
        return  # It filled its tokens inside an argument: the form was held as far as it got.
    assert output.message.tool_calls is not None
    [called] = output.message.tool_calls
    assert called.function == "weather"
    assert called.parse_error is None
    assert set(called.arguments) == {"city", "days"}
    assert isinstance(called.arguments["days"], int)
    assert output.stop_reason == "tool_calls"


async def test_a_prompt_beyond_its_context_stops_as_model_length(model: Model) -> None:
    output = await model.generate("hello world " * 5000)
    assert output.stop_reason == "model_length"


@pytest.mark.long
def test_a_react_agent_holds_a_conversation_with_it(model: Model, tmp_path: Path) -> None:
    """What the model says is its own affair; that each turn is well-formed is ours."""
    log = converse(model, tmp_path)
    assert log.status == "success", log.error
    assert log.samples is not None
    [sample] = log.samples
    assert sample.error is None
    assert isinstance(sample.messages[2], ChatMessageAssistant)
    assert sample.model_usage["local/smollm2"].output_tokens > 0
    made = {
        call.id: call
        for message in sample.messages
        if isinstance(message, ChatMessageAssistant)
        for call in message.tool_calls or []
    }
    answers = [message for message in sample.messages if isinstance(message, ChatMessageTool)]
    assert {answer.tool_call_id for answer in answers} <= set(made)
    for answer in answers:
        if made[str(answer.tool_call_id)].parse_error is None and answer.error is None:
            assert answer.text == LISTING


def converse(model: Model, logs: Path) -> EvalLog:
    prompt = AgentPrompt("You work in a shell.", handoff_prompt=None, assistant_prompt=None)
    solver = react(prompt=prompt, tools=[harmless_shell()], submit=False)
    task = Task(dataset=[Sample("List the files.")], solver=solver, message_limit=5)
    [log] = eval(task, model=model, log_dir=str(logs), display="none")
    return log


def wait_until(holds: Callable[[], bool]) -> None:
    for _ in range(2000):
        if holds():
            return
        time.sleep(0.05)
    raise AssertionError("it never came about")


CHILD = """
from pathlib import Path
from assay.models import CATALOGUE, find
from assay.models.server_start import running_server
print(running_server(CATALOGUE["smollm2"], find("smollm2")).pid)
"""


def server_seen_by_another_process() -> int:
    said = subprocess.run([sys.executable, "-c", CHILD], capture_output=True, text=True, check=True)
    return int(said.stdout)


def test_processes_share_one_server(smollm2: Path) -> None:
    mine = running_server(CATALOGUE["smollm2"], smollm2)
    assert server_seen_by_another_process() == mine.pid


async def test_a_server_that_was_killed_is_started_again(model: Model, smollm2: Path) -> None:
    await model.generate("Say hello.", config=GenerateConfig(max_tokens=2))
    killed = running_server(CATALOGUE["smollm2"], smollm2)
    os.kill(killed.pid, signal.SIGKILL)
    wait_until(lambda: not killed.alive)
    output = await model.generate("Say hello.", config=GenerateConfig(max_tokens=2))
    assert output.usage is not None
    assert running_server(CATALOGUE["smollm2"], smollm2).pid != killed.pid


@pytest.mark.long
def test_the_server_ends_with_its_last_user(
    smollm2: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "assay" / "models" / smollm2.parent.name
    folder.mkdir(parents=True)
    (folder / smollm2.name).symlink_to(smollm2)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    pid = server_seen_by_another_process()
    wait_until(lambda: not Path(f"/proc/{pid}").exists())
    assert not list(tmp_path.rglob("notice.json"))


def test_an_unknown_local_model_names_those_there_are() -> None:
    with pytest.raises(UsageError, match="known: smollm2"):
        get_model("local/gpt-9")


def test_without_its_engine_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "xllamacpp", None)
    with pytest.raises(ModelUnavailable, match="xllamacpp") as refusal:
        get_model("local/smollm2", memoize=False)
    assert refusal.value.hint == "pip install 'assay[local]'"


def test_a_damaged_model_file_is_reported_with_what_mends_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    damaged = tmp_path / "damaged.gguf"
    damaged.write_bytes(b"not a model")
    with pytest.raises(ModelUnavailable, match="did not start") as refusal:
        running_server(CATALOGUE["smollm2"], damaged)
    assert "assay models pull smollm2" in (refusal.value.hint or "")
