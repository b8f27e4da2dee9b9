"""An attempt whose service failed is made again with its files, and with what it left of its limits."""

from __future__ import annotations

from typing import Any

import pytest

from assay.agents import Budget
from assay.models.scripted import Reply, call, failure
from tests.agents.conftest import Try, _key, attempt

__all__ = ["_key", "attempt"]

TURNS = 6
ANSWERED = 4
QUICK: dict[str, Any] = {"generate": {"max_retries": 0}, "service_seconds": 2}


def used_up_service() -> Any:
    """A service with a few requests for a day, which the agent uses up."""
    turns: list[int] = []

    def answer(messages: list[dict[str, Any]]) -> str | Reply:
        if len(turns) >= ANSWERED:
            return failure(429)
        turns.append(1)
        return call("bash", command=f"echo {len(turns)} >> /workspace/notes.py")

    return answer


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """The harness waits seconds instead of minutes for a service that fails."""
    monkeypatch.setattr("assay.agents.request_faults.ANSWER_SECONDS", 1)


@pytest.mark.usefixtures("impatient")
def test_using_up_the_requests_of_the_service_gives_no_new_turns(attempt: Try) -> None:
    first = attempt("react", used_up_service(), Budget(turns=TURNS), **QUICK)
    assert first.sample.error is not None
    assert first.sample.scores in (None, {})

    second = attempt("react", lambda _: call("bash", command="cat /workspace/notes.py"), Budget(turns=TURNS))
    assert second.sample.error is None
    assert second.score["limit"] == "turn"
    own = [request for request in second.requests if len(request["messages"]) > 1]
    assert len(own) == TURNS - ANSWERED + 1, "Inspect ends an attempt at the request after its last turn"
    assert "You have worked on this before" in str(own[0]["messages"])
    assert "1\\n2\\n3\\n4" in str(own[-1]["messages"]) or "1\n2\n3\n4" in str(own[-1]["messages"])
    assert second.sample.metadata["earlier"]["turns"] == ANSWERED
    assert not list(second.logs.rglob("unfinished/*"))


@pytest.mark.usefixtures("impatient")
def test_a_service_that_fails_at_once_costs_nothing(attempt: Try) -> None:
    first = attempt("react", lambda _: failure(503), Budget(turns=3), **QUICK)
    assert first.sample.error is not None
    second = attempt("react", lambda _: call("bash", command="true"), Budget(turns=3))
    assert second.score["limit"] == "turn"
    assert "earlier" not in second.sample.metadata
    assert len([request for request in second.requests if len(request["messages"]) > 1]) == 4
