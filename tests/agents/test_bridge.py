"""Command-line agents over the bridge: unmodified programs, the model of the run, no key inside."""

from __future__ import annotations

import logging
import re
from pathlib import Path
from time import monotonic
from typing import Any

import anyio
import pytest
from inspect_ai.model import ChatMessageAssistant, ChatMessageUser, GenerateConfig
from inspect_ai.tool import ToolCall

from assay.agents import Budget, find_agent, set_options
from assay.agents.bridge_traffic import (
    LONGEST_WARNING,
    MOST_AT_A_TIME,
    MOST_PARTS,
    MOST_WARNINGS,
    PARTS_PER_SECOND,
    BridgeTraffic,
    RequestTooLarge,
    watched_traffic,
)
from assay.errors import UsageError
from assay.evaluation.resume import log_files
from assay.inspect_private import BRIDGE_LOGGERS
from assay.models.scripted import Reply, by_turn, call, failure
from assay.sandbox.session.service_requests import MOST_AT_ONCE
from assay.workspace.transcripts import TRANSCRIPTS, CommandTranscript
from tests.agents.conftest import Try
from tests.tasks.examples import GOLD

PROGRAM = """#!/usr/bin/env python3
import json, os, pathlib, signal, subprocess, sys, threading, time, urllib.error, urllib.request

half = chr(0xD83D)
function = {"name": "look", "description": half, "parameters": {"type": "object", "properties": {half: {}}}}
settings = {"tools": [{"type": "function", "function": function}], "stop": ["end " + half]}
messages = [{"role": "user", "content": sys.argv[1]}]


def post(path, content):
    body = json.dumps({"model": os.environ["ASSAY_MODEL"], **settings, **content}).encode()
    headers = {"Content-Type": "application/json", "Authorization": "Bearer " + os.environ["OPENAI_API_KEY"]}
    address = os.environ["OPENAI_BASE_URL"] + path
    return json.loads(urllib.request.urlopen(urllib.request.Request(address, body, headers)).read())


def ask(messages):
    return post("/chat/completions", {"messages": messages})["choices"][0]["message"]["content"]


if "large" in sys.argv:
    for length, number in ((17_000_000, 1), (1, 30_000)):
        try:
            ask([{"role": "user", "content": "x" * length}] * number)
        except urllib.error.HTTPError as error:
            messages[0]["content"] += f" refused: {error.code} {error.read().decode()}"
if "bare" in sys.argv:
    settings = {"tools": [{"type": "function", "function": {"name": "bare"}}]}
    tools = [{"type": "function", "name": "plain", "parameters": None}, {"type": "custom", "name": "free"}]
    post("/responses", {"input": "a question", "tools": tools})
if "stop" in sys.argv:
    os.kill(-1, signal.SIGSTOP)
    sys.exit()
if "flood" in sys.argv:
    (folder,) = pathlib.Path("/var/tmp/sandbox-services").glob("*/*/requests")
    for number in range(300):
        request = {"id": str(number), "method": "none", "params": {}}
        (folder / f"{number}.json").write_text(json.dumps(request))
    time.sleep(600)
if "many" in sys.argv:
    for number in range(20):
        threading.Thread(target=ask, args=([{"role": "user", "content": str(number)}],)).start()
    sys.exit()
while True:
    said = ask(messages)
    messages.append({"role": "assistant", "content": said})
    if said == "done":
        break
    done = subprocess.run(said, shell=True, capture_output=True, text=True)
    messages.append({"role": "user", "content": done.stdout + done.stderr})
"""
"""A whole command-line agent, which knows nothing of Assay or Inspect, and which sends half characters."""
WRITE = f"cat > steps.py <<'END'\n{GOLD.decode()}END\necho written"
LOOK = "env; cat /proc/*/environ 2>/dev/null | tr '\\0' '\\n'; touch $(dirname $(command -v tiny))/x"
BRIDGE_PAUSE = 2
"""Seconds that Inspect waits before it looks for requests again."""
MINI = "mini-swe-agent==2.4.6 litellm==1.106.2 mcp==2.3.0"
"""litellm of that version imports mcp without asking for it."""


@pytest.fixture
def agent(tmp_path: Path) -> str:
    """The agent's name, its program in a folder of its own."""
    program = tmp_path / "tools" / "bin" / "tiny"
    program.parent.mkdir(parents=True)
    program.write_text(PROGRAM)
    program.chmod(0o755)
    return f"bridge[folder={program.parents[1]}]:tiny {{instruction}}"


def test_a_program_solves_a_task_with_the_model_of_the_run(
    agent: str, attempt: Try, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OTHER_API_KEY", "a-key-of-the-harness-0123456789")
    tried = attempt(f"{agent} large", by_turn([LOOK, WRITE, "done"]))
    assert tried.passed, tried.sample.error or tried.sample.metadata
    assert "refused: 413" in tried.asked(0)
    assert "at most 16 MiB" in tried.asked(0)
    assert "more than 10,000 lists and objects" in tried.asked(0)
    assert len(tried.requests) == 3
    assert sum(file.stat().st_size for file in log_files(tried.logs)) < 1_000_000
    assert tried.log.eval.metadata is not None
    assert tried.log.eval.metadata["assay"]["agent"] == "tiny"
    assert "OPENAI_API_KEY=none" in tried.asked(1)
    assert "Read-only file system" in tried.asked(1)
    assert "a-key-of-the-harness" not in str(tried.requests)
    assert "written" in tried.asked(2)
    (usage,) = tried.sample.model_usage.values()
    assert usage.total_tokens > 100
    assert tried.sample.metadata["command"] == "exit 0"


def test_a_program_may_leave_out_optional_fields_of_its_tools(agent: str, attempt: Try) -> None:
    tried = attempt(f"{agent} bare", by_turn(["done"]))
    assert tried.sample.metadata["command"] == "exit 0"
    offered = [[tool["function"]["name"] for tool in request["tools"]] for request in tried.requests]
    assert offered == [["plain"], ["bare"]]


@pytest.mark.long
def test_limits_bind_and_what_is_there_is_graded(agent: str, attempt: Try) -> None:
    tried = attempt(agent, by_turn([WRITE, *["echo more"] * 20]), Budget(turns=2))
    assert tried.score["limit"] == "turn"
    assert len(tried.requests) <= 3
    assert tried.passed


@pytest.mark.long
def test_a_limit_on_turns_bounds_the_requests_that_are_sent_at_once(agent: str, attempt: Try) -> None:
    tried = attempt(f"{agent} many", lambda messages: "yes", Budget(turns=2))
    assert tried.score["limit"] == "turn"
    assert len(tried.requests) == 3


@pytest.mark.long
def test_a_program_that_stops_the_processes_of_the_bridge_is_graded(agent: str, attempt: Try) -> None:
    tried = attempt(f"{agent} stop", by_turn(["done"]))
    assert tried.sample.error is None
    assert not tried.passed


@pytest.mark.long
def test_a_program_that_floods_the_service_of_the_bridge_ends_at_its_limit(agent: str, attempt: Try) -> None:
    tried = attempt(f"{agent} flood", by_turn(["done"]), Budget(seconds=10))
    assert tried.sample.error is None
    assert tried.score["limit"] == "time"
    (file,) = (tried.logs / TRANSCRIPTS).iterdir()
    transcript = CommandTranscript.load(file.parent, file.name.removesuffix(".tar.gz"))
    read = [
        entry for entry in transcript.entries if re.search(rb" cat -- \S+/requests/\d+\.json$", entry.words)
    ]
    looks = 10 // BRIDGE_PAUSE
    assert len(read) <= looks * MOST_AT_ONCE


def test_requests_of_an_attempt_have_a_limit_together_and_repeated_messages_count_once() -> None:
    traffic, config = BridgeTraffic(), GenerateConfig()
    text = "x" * 10_000_000
    history = [ChatMessageUser(id=f"id {number}", content=text) for number in range(26)]
    for _ in range(50):
        traffic.admit(history[:1], [], config)
    for message in history[1:]:
        traffic.admit([message], [], config)
    with pytest.raises(RequestTooLarge, match="more than 256 MiB together"):
        traffic.admit([ChatMessageUser(id="more", content=text)], [], config)
    traffic.admit([ChatMessageUser(id="short", content="x")], [], config)


def test_requests_with_many_parts_wait_so_that_other_attempts_go_on() -> None:
    """Eight threads that sent 10,000 messages again and again left another attempt 1 of its 8 requests."""
    traffic, began = BridgeTraffic(), monotonic()

    async def send() -> None:
        async with anyio.create_task_group() as group:
            for _ in range(3):
                group.start_soon(traffic.pace, MOST_PARTS)

    anyio.run(send)
    assert monotonic() - began >= 2 * MOST_PARTS / PARTS_PER_SECOND


def test_a_request_that_is_nested_too_deep_for_a_log_is_not_sent() -> None:
    arguments: dict[str, Any] = {}
    for _ in range(300):
        arguments = {"a": arguments}
    call = ToolCall(id="1", function="bash", arguments=arguments)
    message = ChatMessageAssistant(id="deep", content="", tool_calls=[call])
    with pytest.raises(RequestTooLarge, match="nested more than 100 levels deep"):
        BridgeTraffic().admit([message], [], GenerateConfig())


def test_one_attempt_has_few_requests_at_a_time() -> None:
    async def send_many() -> tuple[int, int]:
        traffic, now, most = BridgeTraffic(), 0, 0

        async def send() -> None:
            nonlocal now, most
            async with traffic.turn():
                now, most = now + 1, max(most, now + 1)
                await anyio.sleep(0)
                now -= 1

        async with anyio.create_task_group() as group:
            for _ in range(40):
                group.start_soon(send)
        return now, most

    assert anyio.run(send_many) == (0, MOST_AT_A_TIME)


def test_warnings_that_quote_a_request_are_cut_and_limited(caplog: pytest.LogCaptureFixture) -> None:
    logger = logging.getLogger(BRIDGE_LOGGERS[0])
    with watched_traffic():
        for _ in range(MOST_WARNINGS + 5):
            logger.warning("failed: %s", "x" * 5_000)
    assert len(caplog.records) == MOST_WARNINGS
    assert max(len(record.getMessage()) for record in caplog.records) == LONGEST_WARNING


@pytest.mark.long
def test_a_failing_model_service_is_not_the_programs_failure(agent: str, attempt: Try) -> None:
    tried = attempt(agent, lambda messages: failure(500), generate={"max_retries": 0})
    assert not tried.sample.scores
    assert tried.sample.error is not None
    assert "model service" in tried.sample.error.message


@pytest.mark.long
@pytest.mark.parametrize("status", [400, 403, 429, 500])
def test_a_request_that_is_wrong_in_itself_is_the_programs_own(agent: str, attempt: Try, status: int) -> None:
    def answer(messages: list[dict[str, Any]]) -> str | Reply:
        if "Say yes." in str(messages[-1]["content"]):
            return "yes"
        return WRITE if len(messages) == 1 else failure(status)

    tried = attempt(agent, answer, generate={"max_retries": 0})
    assert tried.sample.error is None
    assert tried.sample.metadata["command"] == "exit 1"
    assert tried.passed


@pytest.mark.long
def test_mini_swe_agent_from_the_index_works_unmodified(attempt: Try) -> None:
    command = (
        "MSWEA_CONFIGURED=true MSWEA_COST_TRACKING=ignore_errors LITELLM_LOCAL_MODEL_COST_MAP=true "
        "mini --model openai/$ASSAY_MODEL --task {instruction} --yolo --exit-immediately --cost-limit 0"
    )
    replies = [
        call("bash", "I look first.", command="cat steps.py; command -v python"),
        call("bash", "I write it.", command=WRITE),
        call("bash", "Done.", command="echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"),
    ]
    tried = attempt(f"bridge[install={MINI}]:{command}", by_turn(replies))
    assert tried.passed, tried.sample.metadata
    assert tried.log.eval.metadata is not None
    assert tried.log.eval.metadata["assay"]["agent"] == "mini"
    assert "NotImplementedError" in tried.asked(1)
    assert "mini-swe-agent" not in tried.asked(1)
    assert tried.sample.metadata["command"] == "exit 0"
    (usage,) = tried.sample.model_usage.values()
    assert usage.total_tokens > 1000


@pytest.mark.parametrize("name", ["bridge:", "bridge[install=]:tool", "bridge[else=x]:tool", "bridge[x"])
def test_a_name_that_cannot_be_read_is_refused_with_the_forms_there_are(name: str) -> None:
    with pytest.raises(UsageError, match="bridged agent") as raised:
        find_agent(name)
    assert "bridge[install=" in str(raised.value.hint)


def test_a_folder_that_is_not_there_is_refused() -> None:
    with pytest.raises(UsageError, match="there is no folder"):
        find_agent("bridge[folder=/not/there]:tool").folders()


def test_a_program_is_called_by_its_first_word_and_its_brackets_are_its_own() -> None:
    name = "bridge[install=tool[extra]==1.0 other]:KEY=1 A='b c' tool --list [a] {instruction}"
    assert find_agent(name).name == "tool"
    assert set_options(["react", name], ["plan=yes"]) == ["react[plan=yes]", name]
