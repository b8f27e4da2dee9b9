"""An attempt counts although its time ran out, if the service failed only for what the attempt sent."""

from __future__ import annotations

import json
import time
import tracemalloc
from pathlib import Path
from typing import Any

import anyio
import pytest
from inspect_ai.model import ChatMessageUser, GenerateConfig, get_model

from assay.agents import Budget, request_faults
from assay.agents.refused_requests import MOST_REFUSED
from assay.agents.request_faults import MessageDigests, is_answer_at_fault, is_body_unreadable
from assay.models.scripted import Reply, ScriptedServer, call, failure
from tests.agents.conftest import Try
from tests.tasks.examples import GOLD

AGENT = '''
import anyio
from inspect_ai.agent import Agent, AgentState, agent
from inspect_ai.model import get_model


@agent
def hiding() -> Agent:
    """Sends a request that always fails, and a good one that takes long."""

    async def execute(state: AgentState) -> AgentState:
        async with anyio.create_task_group() as group:
            group.start_soon(get_model().generate, "too large")
            await anyio.sleep(1)
            await get_model().generate("slow")
        return state

    return execute
'''


@pytest.mark.long
def test_a_late_good_request_does_not_hide_the_one_that_fails(tmp_path: Path, attempt: Try) -> None:
    (tmp_path / "hiding.py").write_text(AGENT)
    late = [Reply(text="yes", delay=16)]

    def answer(messages: list[dict[str, Any]]) -> str | Reply:
        text = str(messages[-1]["content"])
        if "too large" in text:
            return failure(429)
        return late.pop() if "slow" in text and late else "yes"

    tried = attempt(f"{tmp_path / 'hiding.py'}:hiding", answer, Budget(seconds=8))
    assert tried.sample.error is None
    assert tried.score["limit"] == "time"
    assert tried.passed is False


BURNING = '''
from inspect_ai.agent import Agent, AgentState, agent
from inspect_ai.model import GenerateConfig, get_model


@agent
def burning() -> Agent:
    """Sends requests that the service refuses, until it answers nothing any more."""

    async def execute(state: AgentState) -> AgentState:
        for number in range(COUNT):
            try:
                await get_model().generate(f"bad {number}")
            except Exception:
                pass
        await get_model().generate("good", config=GenerateConfig(max_retries=0))
        return state

    return execute
'''


@pytest.mark.parametrize(("count", "is_made"), [(MOST_REFUSED, True), (3, False)])
def test_an_attempt_that_uses_up_the_requests_of_its_service_is_made(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, attempt: Try, count: int, is_made: bool
) -> None:
    """The service counts refused requests too, and refuses all others afterwards."""
    monkeypatch.setattr(request_faults, "ANSWER_SECONDS", 3)
    (tmp_path / "burning.py").write_text(f"COUNT = {count}\n{BURNING}")
    refused = 0

    def answer(messages: list[dict[str, Any]]) -> str | Reply:
        nonlocal refused
        if "bad" in str(messages[-1]["content"]):
            refused += 1
            return failure(400)
        return failure(429) if refused >= count else "yes"

    tried = attempt(f"{tmp_path / 'burning.py'}:burning", answer, Budget(seconds=60))
    assert (tried.sample.error is None) == is_made
    assert refused >= count


WITH_TOOL = '''
import anyio
from inspect_ai.agent import Agent, AgentState, agent
from inspect_ai.model import ChatMessageUser, get_model
from inspect_ai.tool import ToolInfo


@agent
def with_tool() -> Agent:
    """Sends answered messages again, with a tool that the service refuses, then a good request."""

    async def execute(state: AgentState) -> AgentState:
        same = [ChatMessageUser(content="the same", id="same")]
        await get_model().generate(same)
        with anyio.move_on_after(5):
            await get_model().generate(same, tools=[ToolInfo(name="refused", description="refused")])
        await get_model().generate("slow")
        return state

    return execute
'''


def test_messages_that_are_refused_with_a_tool_are_no_failure_of_the_service(
    tmp_path: Path, attempt: Try
) -> None:
    (tmp_path / "agents.py").write_text(WITH_TOOL)
    plain = ["yes"]

    def answer(messages: list[dict[str, Any]]) -> str | Reply:
        text = str(messages[-1]["content"])
        if "the same" in text:
            return plain.pop() if plain else failure(500)
        return Reply(text="yes", delay=8) if "slow" in text else "yes"

    tried = attempt(f"{tmp_path / 'agents.py'}:with_tool", answer, Budget(seconds=8))
    assert tried.sample.error is None
    assert tried.score["limit"] == "time"
    assert tried.passed is False
    controls = [each for each in tried.requests if "Say yes." in str(each["messages"])]
    assert controls, "the harness asked the service while requests failed"


LARGE = '''
from inspect_ai.agent import Agent, AgentState, agent
from inspect_ai.model import get_model


@agent
def large() -> Agent:
    """Sends a request that is too large."""

    async def execute(state: AgentState) -> AgentState:
        await get_model().generate("word " * 2000)
        return state

    return execute
'''


@pytest.mark.long
def test_a_request_that_keeps_the_service_from_answering_for_a_while_is_no_failure_of_the_service(
    tmp_path: Path, attempt: Try
) -> None:
    """Services count the tokens of a minute, those of refused requests too."""
    (tmp_path / "agents.py").write_text(LARGE)
    refused = [0.0]

    def answer(messages: list[dict[str, Any]]) -> str | Reply:
        if len(str(messages)) > 5000:
            refused.append(time.monotonic())
        return failure(429) if time.monotonic() < refused[-1] + 3.0 else "yes"

    tried = attempt(f"{tmp_path / 'agents.py'}:large", answer, service_seconds=9)
    assert tried.sample.error is None
    assert tried.passed is False


WAITING = '''
import anyio
from inspect_ai.agent import Agent, AgentState, agent
from inspect_ai.model import get_model


@agent
def waiting() -> Agent:
    """Sends one request, and works on until its time is over."""

    async def execute(state: AgentState) -> AgentState:
        await get_model().generate("first")
        await anyio.sleep(600)
        return state

    return execute
'''


@pytest.mark.long
def test_an_answer_without_usage_is_an_answer(tmp_path: Path, attempt: Try) -> None:
    (tmp_path / "waiting.py").write_text(WAITING)
    replies: list[Reply] = [failure(429), Reply(text="yes", states_usage=False)]

    def answer(messages: list[dict[str, Any]]) -> Reply:
        return replies.pop(0) if len(replies) > 1 else replies[0]

    tried = attempt(f"{tmp_path / 'waiting.py'}:waiting", answer, Budget(seconds=6))
    assert tried.sample.error is None
    assert tried.score["limit"] == "time"


def test_a_large_message_that_is_sent_again_is_read_once() -> None:
    digests, message = MessageDigests(), ChatMessageUser(id="large", content="x" * 5_000_000)
    first = digests.of(message)
    tracemalloc.start()
    assert {digests.of(message.model_copy()) for _ in range(20)} == {first}
    assert tracemalloc.get_traced_memory()[1] < 1_000_000
    tracemalloc.stop()
    message.content = "x" * 4_000_000
    assert digests.of(message) != first


def test_an_answer_that_cannot_be_read_belongs_to_the_attempt() -> None:
    with pytest.raises(ValueError, match="4300 digits") as unreadable:
        json.loads("7" * 5_000)
    assert is_answer_at_fault(unreadable.value)
    assert not is_answer_at_fault(ConnectionResetError("the service hung up"))


@pytest.mark.long
def test_an_attempt_whose_service_hangs_to_its_end_is_not_made(
    attempt: Try, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("assay.agents.request_faults.LONGEST_PATIENCE", 2.0)
    replies = [call("bash", command="true")]

    def answer(messages: list[dict[str, Any]]) -> Reply:
        return replies.pop() if replies else Reply(text="late", delay=30)

    tried = attempt("react", answer, Budget(seconds=8))
    assert tried.sample.error is not None
    assert "no answer for the last" in tried.sample.error.message


NO_ANSWERS = {
    "empty": b"",
    "cut off": b'{"id": "1", "choices": [{"index": 0, "message": {"role": "assi',
    "bytes that are no text": b'{"id": "1", "object": "chat.completion", "choices": [], "model": "\xff\xfe"}',
    "error in place of choices": b'{"id": "1", "error": {"code": 502, "message": "busy"}, "choices": null}',
}


@pytest.mark.parametrize("body", NO_ANSWERS.values(), ids=NO_ANSWERS)
def test_a_body_that_is_no_answer_is_the_fault_of_the_service(body: bytes) -> None:
    async def ask(address: str) -> None:
        model = get_model("openai-api/scripted/any", base_url=address, api_key="none", memoize=False)
        await model.generate("hello", config=GenerateConfig(max_retries=0))

    with ScriptedServer([Reply(body=body)]) as server, pytest.raises(Exception) as unreadable:
        anyio.run(ask, server.base_url)
    assert is_body_unreadable(unreadable.value)
    assert not is_answer_at_fault(unreadable.value)


def test_a_request_whose_answer_was_cut_off_is_sent_again(attempt: Try) -> None:
    write = call("bash", command=f"cat > steps.py <<'END'\n{GOLD.decode()}END")
    tried = attempt("react", [Reply(body=NO_ANSWERS["cut off"]), write, call("submit", answer="done")])
    assert tried.passed, tried.sample.error
    assert tried.asked(0) == tried.asked(1)


def test_an_outage_of_the_planner_is_looked_for_at_its_own_service(
    attempt: Try, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ScriptedServer(lambda messages: failure(402)) as refusing:
        monkeypatch.setenv("PLAN_BASE_URL", refusing.base_url)
        monkeypatch.setenv("PLAN_API_KEY", "none")
        tried = attempt("supervisor[planner=openai-api/plan/any]", lambda messages: "yes")
    assert tried.sample.error is not None
    assert "model service" in tried.sample.error.message
