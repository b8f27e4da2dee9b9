"""What is checked before a run, against real services; and what happens when a service goes away later."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import replace
from importlib.metadata import distributions
from pathlib import Path
from typing import Any

import pytest

from assay.benchmarks import Suite, load_suite
from assay.errors import UsageError
from assay.evaluation import NO_MODEL, Budget, Plan, PlannedAttempt, Settings, run
from assay.evaluation.events import Finished, Waiting
from assay.evaluation.preflight import PreflightCheck
from assay.evaluation.preflight.coverage import check_coverage
from assay.models.replies import Message, Reply, call, failure
from assay.models.scripted import ScriptedServer
from assay.scoring import read_attempts
from assay.tasks import save_task
from assay.tasks.template import template
from tests.evaluation.services import failing_service, hanging_service, refusing_service

MODEL = "openai-api/scripted/any"


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCRIPTED_API_KEY", "none")


@pytest.fixture
def suite(tmp_path: Path) -> Suite:
    for name in ("first", "second"):
        save_task(template("masked", name), tmp_path / "suite" / name)
    return load_suite(tmp_path / "suite")


def checks_of(
    suite: Suite, tmp_path: Path, base_url: str, model: str = MODEL, **options: object
) -> dict[str, PreflightCheck]:
    """The checks before a run that fails in them."""
    shown: list[PreflightCheck] = []
    fields = {"logs": str(tmp_path / "logs"), "base_url": base_url, **options}
    with pytest.raises(UsageError):
        run(suite, models=[model], settings=Settings(**fields), show_check=shown.append)  # type: ignore[arg-type]
    return {check.name: check for check in shown}


def test_a_task_that_was_not_chosen_is_no_gap_of_the_agent(suite: Suite) -> None:
    """`assay demo` chooses one task for each cheat. 75 warnings said that they had nothing to hand in."""
    attempts = [PlannedAttempt("cheat-hard-coded", NO_MODEL, "first", 1)]
    assert list(check_coverage(Plan(suite, attempts, attempts))) == []


@pytest.mark.parametrize(
    ("service", "message", "fix"),
    [
        (refusing_service, "cannot be reached", "network"),
        (hanging_service, "no answer within 1 s", "network"),
        (lambda: failing_service(401), "refuses the key (HTTP 401)", "key"),
        (lambda: failing_service(404), "does not know the model", "name"),
        (lambda: failing_service(500), "it fails (HTTP 500)", "later"),
        (lambda: failing_service(429, "You exceeded your current quota"), "the quota is used up", "credit"),
    ],
    ids=["refusing", "hanging", "401", "404", "500", "quota"],
)
def test_a_service_that_does_not_answer_ends_the_run_before_it_begins(
    suite: Suite,
    tmp_path: Path,
    service: Callable[[], AbstractContextManager[str]],
    message: str,
    fix: str,
) -> None:
    patience = 1.0 if service is hanging_service else 60.0
    with service() as base_url:
        checks = checks_of(suite, tmp_path, base_url, probe_seconds=patience)
    assert checks["service"].state == "failed"
    assert message in checks["service"].message
    assert fix in (checks["service"].fix or "")
    assert list((tmp_path / "logs").glob("*.eval")) == []


def test_a_key_that_was_shortened_with_a_mark_is_refused(
    suite: Suite, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SCRIPTED_API_KEY", "sk-…")
    checks = checks_of(suite, tmp_path, "http://127.0.0.1:9/v1")
    assert checks["key"].state == "failed"
    assert "copy the whole key" in (checks["key"].fix or "")
    assert "service" not in checks


def test_a_busy_service_and_an_unknown_price_are_warnings(suite: Suite, tmp_path: Path) -> None:
    with failing_service(429, "slow down") as base_url:
        # No other test may have told Inspect the price of this model.
        unpriced = f"{MODEL}-without-a-price"
        checks = checks_of(suite, tmp_path, base_url, unpriced, max_cost=1.0, service_seconds=5.0)
    assert checks["service"].state == "warning"
    assert "HTTP 429" in checks["service"].message
    assert checks["price"].state == "failed"
    assert "--price" in (checks["price"].fix or "")
    assert checks["at most"].message.startswith("$1.00 (--max-cost)")


def test_every_check_is_shown_before_a_run_and_the_probe_uses_up_no_scripted_answer(
    suite: Suite, tmp_path: Path
) -> None:
    shown: list[PreflightCheck] = []
    with ScriptedServer([call("submit", answer="done")]) as server:
        settings = Settings(
            logs=str(tmp_path / "logs"),
            base_url=server.base_url,
            price=(1.0, 2.0),
            budget=Budget(tokens=500_000, turns=1),
        )
        run(suite.only(["first"]), models=[MODEL], settings=settings, show_check=shown.append)
        assert len(server.requests) >= 1
        assert all("Reply with OK" not in str(request) for request in server.requests)
    names = ["provider", "key", "service", "price", "certificates", "sandbox", "GPU", "declared"]
    names += ["disk", "at most"]
    assert [check.name for check in shown] == names
    assert {check.state for check in shown} <= {"ok", "skipped"}
    assert shown[-1].message.startswith("$1.00")


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"price": (math.nan, 1.0)}, "price is (nan, 1.0)"),
        ({"price": (1.0, -5.0)}, "price is (1.0, -5.0)"),
        ({"max_cost": math.nan}, "max_cost is nan"),
        ({"budget": Budget(cost=math.nan)}, "cost is nan"),
        ({"sandbox": "local"}, "the sandbox 'local' is no sandbox"),
        ({"sandbox": "zzz"}, "there is no sandbox 'zzz'"),
    ],
)
def test_limits_that_cannot_bind_and_sandboxes_that_do_not_confine_are_refused(
    suite: Suite, tmp_path: Path, settings: dict[str, Any], message: str
) -> None:
    with pytest.raises(UsageError, match=re.escape(message)):
        run(
            suite,
            agents=["idle"],
            settings=Settings(logs=str(tmp_path / "logs"), **settings),
            preflight=False,
        )
    assert not (tmp_path / "logs").exists()


def test_a_run_without_a_model_asks_no_service(suite: Suite, tmp_path: Path) -> None:
    shown: list[PreflightCheck] = []
    settings = Settings(logs=str(tmp_path / "logs"))
    run(suite.only(["first"]), agents=["idle"], settings=settings, show_check=shown.append)
    assert (shown[0].name, shown[0].state) == ("model", "skipped")
    assert shown[-1].message.startswith("$0")


@pytest.mark.parametrize(("agent", "is_warned"), [("bridge:true", True), ("react", False)])
def test_a_protocol_that_the_bridge_cannot_speak_is_named(
    suite: Suite, tmp_path: Path, agent: str, is_warned: bool
) -> None:
    shown: list[PreflightCheck] = []
    with failing_service(401) as base_url:
        settings = Settings(logs=str(tmp_path / "logs"), base_url=base_url)
        with pytest.raises(UsageError):
            run(suite, agents=[agent], models=[MODEL], settings=settings, show_check=shown.append)
    installed = {distribution.name.lower() for distribution in distributions()}
    missing = {"anthropic", "google-genai"} - installed if is_warned else set()
    packages = {word for check in shown if check.name == "bridge" for word in check.message.split()[-2:]}
    assert packages - {"install"} == missing


def test_gpus_that_are_missing_end_the_run(
    suite: Suite, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASSAY_TASK_GPUS", "3")
    monkeypatch.setenv("ASSAY_GPUS", "0")
    with pytest.raises(UsageError, match="a task needs 3, this machine has 1"):
        run(suite, agents=["idle"], settings=Settings(logs=str(tmp_path / "logs")))


def test_what_a_task_lacks_here_is_said_first_and_counts_as_the_tasks(suite: Suite, tmp_path: Path) -> None:
    shown: list[PreflightCheck] = []
    lacking = suite.model_copy(update={"lacking": {"first": "it declares GPUs (1 A100)"}})
    with ScriptedServer(lambda messages: call("submit", answer="done")) as server:
        settings = Settings(logs=str(tmp_path / "logs"), base_url=server.base_url, budget=Budget(turns=1))
        run(lacking, models=[MODEL], settings=settings, show_check=shown.append)
    (check,) = (check for check in shown if check.name == "declared")
    assert check.state == "warning"
    assert "1 of 2 tasks" in check.message
    assert "first: it declares GPUs (1 A100)" in check.message
    first, second = read_attempts(tmp_path / "logs")
    assert (first.passed, first.owner, first.lacking) == (None, "task", "it declares GPUs (1 A100)")
    assert (second.passed, second.owner, second.lacking) == (False, "agent", "")


def outage(messages: list[Message]) -> Reply:
    """A service that answers the probe and nothing after it."""
    return failure(500, "the service is down")


@pytest.mark.long
def test_a_service_that_goes_away_ends_the_run_and_says_that_it_waits(suite: Suite, tmp_path: Path) -> None:
    waits: list[Waiting] = []
    ends: list[Finished] = []
    with ScriptedServer(outage) as server:
        settings = Settings(
            logs=str(tmp_path / "logs"),
            base_url=server.base_url,
            generate={"max_samples": 1, "max_retries": 1},
            service_seconds=12.0,
        )
        done: Plan = run(suite, models=[MODEL], settings=settings, wait=waits.append, tell=ends.append)
        before = len(server.requests)
        again: Plan = run(suite, models=[MODEL], settings=replace(settings, service_seconds=0.1, generate={}))
    assert len(done.left) == 2
    assert (waits[0].agent, waits[0].task, waits[0].retry) == ("react", ends[0].task, 1)
    assert "HTTP 500" in waits[0].reason
    assert waits[0].seconds > 0
    assert "the service is down" in str(ends[0].error)
    assert "given up after an earlier attempt" in str(ends[1].error)
    assert before < len(server.requests)
    assert len(again.left) == 2
