"""One attempt fills the model's service: that is its own doing, and no other attempt has to wait for it."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import anyio
import pytest

from assay.agents import Budget
from assay.agents.bridge_traffic import MOST_AT_A_TIME, BridgeTraffic
from assay.evaluation.connections import share_connections
from assay.models.scripted import Reply, ScriptedServer, failure
from assay.tasks.kinds import MASKED
from tests.agents.attempts import attempts_at_new_task, gold_of_new_task

MODEL = "openai-api/scripted/any"
PLACES, LONG_SECONDS = 3, 10.0
SENDER = """#!/usr/bin/env python3
import json, os, sys, threading, time, urllib.request

def ask(text):
    messages = [{"role": "user", "content": text}]
    body = json.dumps({"model": os.environ["ASSAY_MODEL"], "messages": messages}).encode()
    headers = {"Content-Type": "application/json", "Authorization": "Bearer none"}
    address = os.environ["OPENAI_BASE_URL"] + "/chat/completions"
    answer = urllib.request.urlopen(urllib.request.Request(address, body, headers)).read()
    return json.loads(answer)["choices"][0]["message"]["content"]

"""
FILLS = """
for number in range(3):
    threading.Thread(target=ask, args=(f"LONG {number}",)).start()
time.sleep(1)
for number in range(6):
    threading.Thread(target=ask, args=(f"short {number}",)).start()
time.sleep(600)
"""
STARVES = """
for number in range(16):
    threading.Thread(target=ask, args=(f"BIG {number}",)).start()
time.sleep(600)
"""
HONEST = """
time.sleep(4)
assert ask("how is it done?") == "so"
"""


class Service:
    """Takes three long requests at a time, computes their answers to the end, and refuses all others then."""

    def __init__(self) -> None:
        self.busy_until: list[float] = []

    def __call__(self, messages: list[dict[str, Any]]) -> str | Reply:
        text, now = str(messages[-1]["content"]), time.monotonic()
        if "BIG" in text or sum(end > now for end in self.busy_until) >= PLACES:
            return failure(429)
        if "LONG" not in text:
            return "so"
        self.busy_until.append(now + LONG_SECONDS)
        return Reply("done").after(LONG_SECONDS)


def program(folder: Path, name: str, text: str) -> str:
    """The agent that runs a program with the model of the run."""
    file = folder / name / "bin" / name
    file.parent.mkdir(parents=True)
    file.write_text(SENDER + text)
    file.chmod(0o755)
    return f"bridge[folder={folder / name}]:{name}"


@pytest.mark.long
def test_a_program_that_fills_the_service_gets_no_second_attempt(tmp_path: Path) -> None:
    agent = program(tmp_path, "fills", FILLS)
    with ScriptedServer(Service()) as server:
        seen = attempts_at_new_task(
            tmp_path, MASKED, [agent], models=[MODEL], base_url=server.base_url, budget=Budget(seconds=5)
        )
    assert [(each.grade.passed, each.notes["limit"]) for each in seen] == [(False, "time")]


@pytest.mark.long
def test_a_program_whose_requests_are_refused_keeps_no_other_from_the_model(tmp_path: Path) -> None:
    gold = "".join(
        f"open({path!r}, 'wb').write({data!r})\n" for path, data in gold_of_new_task(MASKED).items()
    )
    agents = [program(tmp_path, "starves", STARVES), program(tmp_path, "honest", HONEST + gold)]
    with ScriptedServer(Service()) as server:
        seen = attempts_at_new_task(
            tmp_path,
            MASKED,
            agents,
            models=[MODEL],
            base_url=server.base_url,
            budget=Budget(seconds=40),
            generate={"max_connections": 10},
        )
    assert {each.agent: each.grade.passed for each in seen} == {"starves": False, "honest": True}


@pytest.mark.parametrize(
    ("generate", "share"),
    [
        ({}, MOST_AT_A_TIME),
        ({"max_connections": 10}, 1),
        ({"max_connections": 30}, 6),
        ({"max_connections": 1}, 1),
    ],
)
def test_every_attempt_has_its_share_of_the_connections(generate: dict[str, Any], share: int) -> None:
    settings, shares = share_connections(generate, at_once=4)
    assert shares.most == share
    bounds = settings.get("adaptive_connections")
    assert (bounds is None) == bool(generate)
    assert bounds is None or bounds.min >= 4 * share + 1


def test_a_request_is_judged_when_the_others_of_the_attempt_have_ended() -> None:
    async def judge() -> list[str]:
        traffic, seen = BridgeTraffic(), list[str]()

        async def send(name: str, seconds: float) -> None:
            async with traffic.turn():
                await anyio.sleep(seconds)
                seen.append(name)

        async with anyio.create_task_group() as group:
            group.start_soon(send, "long", 0.3)
            await anyio.sleep(0)
            async with traffic.turn(), traffic.alone():
                group.start_soon(send, "later", 0)
                await anyio.sleep(0.2)
                seen.append("judged")
        return seen

    assert anyio.run(judge) == ["long", "judged", "later"]
