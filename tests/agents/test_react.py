"""The react agent over real HTTP: it works with tools, ends at its limits, and failures have their owner."""

from __future__ import annotations

import gc
import json
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from assay.agents import Budget
from assay.models.scripted import Call, Reply, ScriptedServer, by_turn, call, failure
from assay.scoring import read_attempts as read_scores
from assay.tasks.kinds import MASKED
from tests.agents.attempts import Seen, attempts_at_new_task, gold_of_new_task

MODEL = "openai-api/scripted/any"
Messages = list[dict[str, Any]]


def gold_commands() -> list[str]:
    """Shell commands that write the gold files."""
    gold = gold_of_new_task(MASKED)
    return [f"printf %s {shlex.quote(data.decode())} > {shlex.quote(path)}" for path, data in gold.items()]


def writing_gold() -> list[str | Reply]:
    """Look, write the gold files through the shell, try them, hand in."""
    return [
        call("bash", command="ls; cat run.py | head -5"),
        call("bash", command=" && ".join(gold_commands())),
        call("python", code="print(open('/workspace/method.py').read()[:40])"),
        call("submit", answer="done"),
    ]


def attempted(folder: Path, server: ScriptedServer, **options: Any) -> Seen:
    """The attempt of the react agent at a new masked task."""
    [seen] = attempts_at_new_task(
        folder, MASKED, ["react"], models=[MODEL], base_url=server.base_url, **options
    )
    return seen


def test_gold_written_with_tools_passes(tmp_path: Path) -> None:
    with ScriptedServer(by_turn(writing_gold())) as server:
        seen = attempted(tmp_path, server)
    assert seen.grade.passed is True, seen.names
    assert "limit" not in seen.notes


def connections_to(address: str) -> int:
    """How many connections to a service are open."""
    port = f":{int(address.rsplit(':', 1)[1].partition('/')[0]):04X}"
    rows = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    return sum(remote.endswith(port) and state == "01" for _, _, remote, state, *_ in rows)


def test_no_connection_to_the_service_stays_open_after_a_run(tmp_path: Path) -> None:
    """A process that made many runs ended with more than 1,023 descriptors, which select() does not take."""
    gc.collect()
    gc.disable()
    try:
        with ScriptedServer(by_turn(writing_gold())) as server:
            attempted(tmp_path, server)
            assert connections_to(server.base_url) == 0
    finally:
        gc.enable()


def test_only_the_first_of_very_many_tool_calls_are_made_and_the_model_is_told(tmp_path: Path) -> None:
    """One answer with 45,000 calls took 2 GiB, and no other attempt went on for a minute."""
    many = Reply(calls=(Call("bash", {"command": "true"}),) * 1_000)
    with ScriptedServer(by_turn([many, *writing_gold()])) as server:
        seen = attempted(tmp_path, server)
        asked = server.requests[1]["messages"]
    assert seen.grade.passed is True, seen.names
    (answer,) = [message for message in asked if message["role"] == "assistant"]
    assert len(answer["tool_calls"]) == 200
    results = [message for message in asked if message["role"] == "tool"]
    assert "1000 tool calls, and only 199 of them were made" in str(results[-1]["content"])


def test_a_call_with_enormous_arguments_is_not_made_and_the_model_is_told(tmp_path: Path) -> None:
    """Each answer with 100,000 lists held up all attempts for ten seconds, and again before each request."""
    lists = call("bash", command="true", more=[[] for _ in range(30_000)])
    text = call("bash", command="true #" + "x" * 5_000_000)
    with ScriptedServer(by_turn([lists, text, *writing_gold()])) as server:
        seen = attempted(tmp_path, server)
        asked = server.requests[2]["messages"]
    assert seen.grade.passed is True, seen.names
    results = [str(message["content"]) for message in asked if message["role"] == "tool"]
    assert "more than 2,000 items in lists and objects" in results[0]
    assert "more than 4,000,000 characters" in results[1]
    assert max(len(json.dumps(message)) for message in asked) < 100_000


@pytest.mark.long
def test_what_still_runs_after_the_time_limit_is_ended_before_the_service_is_asked(tmp_path: Path) -> None:
    gold = "; ".join(gold_commands())
    late = f"setsid bash -c {shlex.quote('sleep 12; ' + gold)} > /dev/null 2>&1 < /dev/null & echo started"

    def slow(messages: Messages) -> str | Reply:
        if any(message["role"] == "tool" for message in messages):
            return Reply("done").after(30.0)
        is_attempt = len(messages) > 1
        return call("bash", command=late) if is_attempt else Reply("yes").after(12.0)

    with ScriptedServer(slow) as server:
        seen = attempted(tmp_path, server, budget=Budget(seconds=6))
    assert (seen.grade.passed, seen.notes["limit"]) == (False, "time")


def test_odd_arguments_come_back_as_errors_and_the_attempt_goes_on(tmp_path: Path) -> None:
    odd = [
        call("bash", command="echo a\0b"),
        call("bash", command="echo \ud83d"),
        call("python", code="print('\0', '\udfff')"),
        call("bash", command=": " + "x" * 200_000),
        call("bash", command=""),
        call("bash"),
        call("no-such-tool", command="true"),
    ]
    with ScriptedServer(by_turn([*odd, *writing_gold()])) as server:
        seen = attempted(tmp_path, server)
    assert seen.grade.passed is True, seen.names
    assert "crash" not in seen.notes
    told = "\n".join(str(each.get("content")) for each in server.requests[len(odd)]["messages"])
    assert "contains a NUL byte" in told
    assert "contains half a character" in told
    assert "Argument list too long" in told


ALIASES = "".join(f"- &a{level} [{', '.join([f'*a{level - 1}'] * 9)}]\n" for level in range(1, 12))
"""YAML of a few lines that stands for more than 10^10 values."""
ODD_ARGUMENTS = [
    "!!binary gIGC",
    "? !!binary gIGC\n: a",
    "!!set {a, b}",
    "2001-99-99",
    "2001-01-01",
    "!!timestamp x",
    "- &a0 [x]\n" + ALIASES,
    "1" * 5_000,
    '{"command": ' + "1" * 5_000 + "}",
    '{"command": 1e400}',
    "[" * 5_000,
]


def test_arguments_that_are_no_json_are_text_and_the_attempt_goes_on(tmp_path: Path) -> None:
    odd = [Reply(calls=(Call("bash", arguments),)) for arguments in ODD_ARGUMENTS]
    plain = Reply(calls=(Call("bash", "echo taken as te''xt"),))
    with ScriptedServer(by_turn([*odd, plain, *writing_gold()])) as server:
        seen = attempted(tmp_path, server)
    assert seen.grade.passed is True, seen.names
    assert "crash" not in seen.notes
    told = "\n".join(str(each.get("content")) for each in server.requests[-1]["messages"])
    assert "taken as text" in told


def test_an_attempt_at_its_turn_limit_is_graded(tmp_path: Path) -> None:
    with ScriptedServer(lambda messages: call("bash", command="true")) as server:
        seen = attempted(tmp_path, server, budget=Budget(turns=3))
    assert seen.grade.passed is False
    assert seen.notes["limit"] == "turn"
    assert len(server.requests) <= 4


def test_an_attempt_at_its_token_limit_is_graded(tmp_path: Path) -> None:
    with ScriptedServer(lambda messages: call("bash", command="true")) as server:
        seen = attempted(tmp_path, server, budget=Budget(tokens=2000))
    assert seen.grade.passed is False
    assert seen.notes["limit"] == "token"


def test_the_time_limit_cuts_a_command_short_and_keeps_what_was_done(tmp_path: Path) -> None:
    replies = [*writing_gold()[:2], call("bash", command="sleep 120")]
    with ScriptedServer(by_turn(replies)) as server:
        seen = attempted(tmp_path, server, budget=Budget(seconds=10))
    assert seen.notes["limit"] == "time"
    assert seen.grade.passed is True


def failing_after_a_command(status: int, *, answers_later: bool) -> Callable[[Messages], str | Reply]:
    """A service that fails after the first command, but answers "Say yes.", and perhaps everything after."""
    asked = False

    def answer(messages: Messages) -> str | Reply:
        nonlocal asked
        if len(messages) == 1 and "Say yes." in str(messages[0]["content"]):
            asked = True
            return "yes"
        if not any(message["role"] == "tool" for message in messages):
            return call("bash", command="echo what is refused")
        return call("submit", answer="done") if asked and answers_later else failure(status)

    return answer


@pytest.mark.parametrize("status", [403, 429])
def test_a_conversation_that_the_service_refuses_is_graded(tmp_path: Path, status: int) -> None:
    """Or an agent could get another attempt by printing what its service does not take."""
    with ScriptedServer(failing_after_a_command(status, answers_later=False)) as server:
        seen = attempted(tmp_path, server, generate={"max_retries": 0})
    assert seen.sample.error is None
    assert seen.grade.passed is False
    assert "Error" in seen.notes["crash"]


@pytest.mark.long
def test_a_service_that_answers_the_same_request_later_made_no_attempt(tmp_path: Path) -> None:
    with ScriptedServer(failing_after_a_command(500, answers_later=True)) as server:
        seen = attempted(tmp_path, server, generate={"max_retries": 0})
    assert seen.sample.error is not None
    assert "model service" in seen.sample.error.message


def test_a_failing_model_service_is_not_the_agents_failure(tmp_path: Path) -> None:
    with ScriptedServer(lambda messages: failure(500)) as server:
        seen = attempted(tmp_path, server, generate={"max_retries": 0}, service_seconds=2)
    assert not seen.sample.scores
    assert seen.sample.error is not None
    assert "model service" in seen.sample.error.message
    [attempt] = read_scores([tmp_path / "logs"])
    assert attempt.passed is None
    assert attempt.owner == "model"
