"""Money and requests of a whole run: limits that bind, over real HTTP, and an unknown price refused."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import assay
from assay.agents import Budget
from assay.errors import UsageError
from assay.evaluation import Settings
from assay.models.scripted import Reply, ScriptedServer, by_turn, call
from assay.scoring import read_attempts

MODEL = "openai-api/scripted/any"


def settings(logs: Path, server: ScriptedServer, **more: object) -> Settings:
    """Settings for the scripted model, one attempt at a time."""
    return Settings(logs=str(logs), base_url=server.base_url, generate={"max_connections": 1}, **more)  # type: ignore[arg-type]


@pytest.mark.long
def test_a_cap_ends_the_run_and_what_is_left_can_be_made_later(
    suite: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = by_turn([call("bash", command="true")] * 3 + [call("submit", answer="done")])
    with ScriptedServer(script) as server:
        for name, value in server.environment.items():
            monkeypatch.setenv(name, value)
        capped = settings(tmp_path / "logs", server, max_cost=0.01, price=(1000.0, 1000.0))
        first = assay.run(suite, agent=["react"], model=[MODEL], settings=capped, limit=2)
        asked = len(server.requests)
        assert 0 < len(first.not_made) <= 2
        assert asked <= 3, "only of attempts that began before the first answer"
        free = settings(tmp_path / "logs", server, price=(1000.0, 1000.0))
        second = assay.run(suite, agent=["react"], model=[MODEL], settings=free, limit=2)
        assert second.not_made == []


def test_an_attempt_that_spends_the_money_of_the_run_is_made(
    suite: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else an agent that is about to fail would talk on until the cap, and get another attempt."""
    with ScriptedServer(lambda messages: call("bash", text="word " * 400, command="true")) as server:
        for name, value in server.environment.items():
            monkeypatch.setenv(name, value)
        capped = settings(tmp_path / "logs", server, max_cost=10.0, price=(1000.0, 1000.0))
        first = assay.run(suite, agent=["react"], model=[MODEL], settings=capped, limit=1)
        assert first.not_made == []
        asked = len(server.requests)
        assay.run(suite, agent=["react"], model=[MODEL], settings=capped, limit=1)
        assert len(server.requests) == asked, "it is not made again"
    [attempt] = read_attempts(tmp_path / "logs")
    assert (attempt.passed, attempt.limit) == (False, "cost")


def two_submit(dear: str, cheap: str) -> Callable[[Any], Reply]:
    """The first two requests get something dear and submit; all others get something cheap and go on."""
    numbers = itertools.count()

    def answer(messages: Any) -> Reply:
        if next(numbers) < 2:
            return call("submit", text=dear, answer="done")
        return call("bash", text=cheap, command="true")

    return answer


def test_an_attempt_that_spends_the_rest_of_the_money_is_made(
    suite: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ScriptedServer(two_submit("word " * 2400, "word " * 200)) as server:
        for name, value in server.environment.items():
            monkeypatch.setenv(name, value)
        capped = settings(tmp_path / "logs", server, max_cost=20.0, price=(0.0, 2000.0))
        done = assay.run(suite, agent=["react"], model=[MODEL], settings=capped, limit=3)
        assert done.not_made == []
        asked = len(server.requests)
        assay.run(suite, agent=["react"], model=[MODEL], settings=capped, limit=3)
        assert len(server.requests) == asked, "it is not made again"
    costs = sorted((attempt.limit or "", attempt.cost or 0.0) for attempt in read_attempts(tmp_path / "logs"))
    assert [limit for limit, _ in costs] == ["", "", "cost"]
    assert 0 < costs[-1][1] < 10


def test_attempts_at_the_same_time_keep_to_the_cap_together(
    suite: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ScriptedServer(lambda messages: call("bash", text="word " * 400, command="true")) as server:
        for name, value in server.environment.items():
            monkeypatch.setenv(name, value)
        capped = Settings(
            logs=str(tmp_path / "logs"), base_url=server.base_url, max_cost=10.0, price=(0.0, 1000.0)
        )
        done = assay.run(suite, agent=["react"], model=[MODEL], settings=capped, limit=3)
    attempts = read_attempts(tmp_path / "logs")
    assert len(attempts) + len(done.not_made) == 3
    dearest_request = 1.0
    assert sum(attempt.cost or 0.0 for attempt in attempts) <= 10.0 + 3 * dearest_request


def test_an_attempt_that_spends_its_own_money_is_made_however_little_the_run_has_left(
    suite: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ScriptedServer(lambda messages: call("bash", text="word " * 400, command="true")) as server:
        for name, value in server.environment.items():
            monkeypatch.setenv(name, value)
        own = {"budget": Budget(cost=1.0), "price": (1000.0, 1000.0)}

        def run(name: str, tasks: int, **limits: Any) -> list[float | None]:
            chosen = settings(tmp_path / name, server, **own, **limits)
            done = assay.run(suite, agent=["react"], model=[MODEL], settings=chosen, limit=tasks)
            assert done.not_made == []
            attempts = read_attempts(tmp_path / name)
            assert {attempt.limit for attempt in attempts} == {"cost"}
            return [attempt.cost for attempt in attempts]

        [cost] = run("alone", 1)
        assert cost is not None
        assert len(run("both", 2, max_cost=2 * cost + 0.5)) == 2


def test_a_cap_without_a_price_is_refused_before_anything_runs(
    suite: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ScriptedServer(["done"]) as server:
        for name, value in server.environment.items():
            monkeypatch.setenv(name, value)
        capped = settings(tmp_path / "logs", server, max_cost=1.0)
        with pytest.raises(UsageError, match="the price of openai-api/scripted/dear is not known"):
            assay.run(suite, agent=["react"], model=["openai-api/scripted/dear"], settings=capped)
        assert server.requests == []


@pytest.mark.long
def test_two_processes_send_no_more_requests_in_a_minute_than_the_run_may(
    suite: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = by_turn([call("submit", answer="done")])
    times: list[float] = []

    def reply(messages: list[dict[str, Any]]) -> str | Reply:
        times.append(time.monotonic())
        return script(messages)

    with ScriptedServer(reply) as server:
        for name, value in server.environment.items():
            monkeypatch.setenv(name, value)
        limited = settings(tmp_path / "logs", server, requests_per_minute=1)
        start = time.monotonic()
        results = assay.run(suite, model=MODEL, settings=limited, processes=2, limit=2, progress=False)
    assert results.not_made == []
    assert len(times) == 2
    assert times[1] - start >= 60.0
