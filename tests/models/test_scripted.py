"""A scripted model is a real model service to Inspect."""

from __future__ import annotations

import json
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from inspect_ai import Task, eval, eval_retry, task
from inspect_ai.agent import react
from inspect_ai.dataset import Sample
from inspect_ai.log import EvalLog
from inspect_ai.model import ChatMessageTool, Model, get_model
from inspect_ai.scorer import includes
from inspect_ai.tool import bash
from openai import OpenAI

from assay.errors import UsageError
from assay.models.replies import Call, Reply, load_replies
from assay.models.scripted import Message, ScriptedServer, by_turn, call, failure


def scripted(server: ScriptedServer) -> Model:
    return get_model("openai-api/scripted/any", base_url=server.base_url, api_key="none", memoize=False)


@task
def research(names: str = "a") -> Task:
    samples = [Sample(id=name, input=f"Read {name}.", target="42") for name in names]
    return Task(
        dataset=samples, solver=react(tools=[bash()]), scorer=includes(), sandbox="local", message_limit=10
    )


def run(chosen: Task, server: ScriptedServer, logs: Path) -> EvalLog:
    [log] = eval(chosen, model=scripted(server), log_dir=str(logs), display="none", max_samples=1)
    return log


def accuracy(log: EvalLog) -> float:
    assert log.results is not None
    return log.results.scores[0].metrics["accuracy"].value


LOOK_THEN_SUBMIT = [call("bash", "I look.", command="echo 6*7 = $((6*7))"), call("submit", answer="42")]


def test_a_react_agent_works_through_the_script_over_http(tmp_path: Path) -> None:
    with ScriptedServer(LOOK_THEN_SUBMIT) as server:
        log = run(research(), server, tmp_path)

    assert log.status == "success", log.error
    assert log.samples is not None
    [sample] = log.samples
    results = [message.text for message in sample.messages if isinstance(message, ChatMessageTool)]
    assert results[0].strip() == "6*7 = 42"
    assert accuracy(log) == 1.0
    assert sum(usage.output_tokens for usage in sample.model_usage.values()) > 0
    assert {tool["function"]["name"] for tool in server.requests[0]["tools"]} == {"bash", "submit"}
    assert len(server.requests) == 2


def test_a_new_model_of_openai_is_answered_in_its_own_format(tmp_path: Path) -> None:
    with ScriptedServer(LOOK_THEN_SUBMIT) as server:
        model = get_model("openai/gpt-5", base_url=server.base_url, api_key="none", memoize=False)
        [log] = eval(research(), model=model, log_dir=str(tmp_path), display="none")
    assert log.status == "success", log.error
    assert accuracy(log) == 1.0
    assert all("input" in request for request in server.requests)
    roles = [message["role"] for message in server.requests[1]["messages"]]
    assert roles[-2:] == ["assistant", "tool"]
    assert "6*7 = 42" in server.requests[1]["messages"][-1]["content"]


@pytest.mark.parametrize("status", [429, 500])
def test_a_failure_of_the_service_is_retried(tmp_path: Path, status: int) -> None:
    with ScriptedServer([failure(status), *LOOK_THEN_SUBMIT]) as server:
        log = run(research(), server, tmp_path)
    assert accuracy(log) == 1.0
    assert len(server.requests) == 3


@pytest.mark.long
def test_a_run_that_broke_off_is_resumed_without_repeating_what_was_done(tmp_path: Path) -> None:
    healthy = by_turn(LOOK_THEN_SUBMIT)
    broken = {"b"}

    def answer(messages: list[Message]) -> str | Reply:
        name = next(message["content"] for message in messages if message["role"] == "user")[5]
        return failure(400, "not today") if name in broken else healthy(messages)

    with ScriptedServer(answer) as server:
        first = run(research("ab"), server, tmp_path)
        assert first.status == "error"
        broken.clear()
        asked = len(server.requests)
        # Inspect rebuilds the model by its name, and finds its key in the environment.
        with pytest.MonkeyPatch.context() as environment:
            for key, value in server.environment.items():
                environment.setenv(key, value)
            [second] = eval_retry(first, log_dir=str(tmp_path), display="none")

    assert second.status == "success", second.error
    assert accuracy(second) == 1.0
    again = [request["messages"][1]["content"] for request in server.requests[asked:]]
    assert set(again) == {"Read b."}


def test_a_script_that_is_over_says_so() -> None:
    with ScriptedServer(["one"]) as server:
        client = OpenAI(base_url=server.base_url, api_key="none")
        ask(client)
        with pytest.raises(Exception, match="the script is over: it has 1 replies"):
            ask(client)


def test_a_stream_carries_the_same_answer() -> None:
    with ScriptedServer([call("bash", "I look.", command="ls").after(0.01)]) as server:
        client = OpenAI(base_url=server.base_url, api_key="none")
        with client.chat.completions.stream(
            model="any", messages=[{"role": "user", "content": "hi"}]
        ) as stream:
            whole = stream.get_final_completion()
    message = whole.choices[0].message
    assert message.content == "I look."
    assert message.tool_calls is not None
    assert json.loads(message.tool_calls[0].function.arguments) == {"command": "ls"}
    assert whole.usage is not None
    assert whole.usage.total_tokens > 0


def ask(client: OpenAI) -> str | None:
    reply = client.chat.completions.create(model="any", messages=[{"role": "user", "content": "hi"}])
    return reply.choices[0].message.content


@contextmanager
def command(script: Path, *options: str) -> Iterator[str]:
    line = [sys.executable, "-m", "assay.models.scripted", str(script), *options]
    process = subprocess.Popen(line, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
    finally:
        process.terminate()
        process.communicate()


def test_the_command_serves_a_file(tmp_path: Path) -> None:
    script = tmp_path / "script.jsonl"
    script.write_text('"one"\n{"text": "two"}\n')
    with command(script) as base_url:
        client = OpenAI(base_url=base_url, api_key="none")
        assert [ask(client), ask(client)] == ["one", "two"]
    with command(script, "--by-turn") as base_url:
        client = OpenAI(base_url=base_url, api_key="none")
        assert [ask(client), ask(client)] == ["one", "one"]


def test_a_script_that_cannot_be_read_names_the_line(tmp_path: Path) -> None:
    script = tmp_path / "script.jsonl"
    script.write_text('"one"\n{"txet": "two"}\n')
    with pytest.raises(UsageError, match=r"script\.jsonl:2: .*txet"):
        load_replies(script)


def test_a_request_that_is_none_is_refused() -> None:
    with ScriptedServer(["one"]) as server:
        request = urllib.request.Request(server.base_url + "/chat/completions", data=b"[]")
        with pytest.raises(urllib.error.HTTPError) as refusal:
            urllib.request.urlopen(request)
    assert refusal.value.code == 400


arguments = st.dictionaries(st.text(), st.none() | st.booleans() | st.integers() | st.text())
replies = st.builds(
    Reply,
    text=st.text(),
    calls=st.lists(st.builds(Call, st.text(), arguments), max_size=3).map(tuple),
    status=st.sampled_from([200, 429, 500]),
    delay=st.floats(0, 10),
)


@settings(max_examples=30)
@given(script=st.lists(replies, max_size=5))
def test_a_script_survives_its_file(script: list[Reply], tmp_path_factory: pytest.TempPathFactory) -> None:
    def line(reply: Reply) -> dict[str, Any]:
        return vars(reply) | {"calls": [vars(item) for item in reply.calls]}

    path = tmp_path_factory.mktemp("script") / "script.jsonl"
    path.write_text("".join(json.dumps(line(reply)) + "\n" for reply in script))
    assert load_replies(path) == script
