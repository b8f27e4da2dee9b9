"""Counts of tokens that a model's service cannot mean are not counted, over real HTTP."""

from __future__ import annotations

import json
from typing import Any

import pytest

from assay.agents import Budget
from assay.models.chat_completions import chat_completion
from assay.models.replies import Reply, by_turn, call
from tests.agents.conftest import Tried, Try, attempt

__all__ = ["attempt"]

BILLION = 10**9


def stating(reply: Reply, **usage: object) -> Reply:
    """A reply whose service states these counts."""
    completion = chat_completion({"messages": []}, reply)
    return Reply(body=json.dumps({**completion, "usage": usage}).encode())


def counts(prompt: int, completion: int, total: int, **details: object) -> dict[str, Any]:
    return {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": total, **details}


@pytest.mark.parametrize(
    ("stated", "counted"),
    [
        (counts(-BILLION, -5, -BILLION - 5), 0),
        (counts(-BILLION, 40, -BILLION + 40), 40),
        (counts(10**30, 10**30, 2 * 10**30), 0),
        (counts(100, 40, -140), 140),
        (counts(100, 40, 140, prompt_tokens_details={"cached_tokens": 300}), 140),
        (counts(100, 40, 140), 140),
    ],
    ids=["negative", "negative prompt", "absurd", "negative total", "more cached than read", "possible"],
)
def test_only_possible_counts_are_added_up(stated: dict[str, Any], counted: int, attempt: Try) -> None:
    step = stating(call("bash", command="true"), **stated)
    tried = attempt("react", lambda _: step, Budget(turns=2))
    assert tried.sample.error is None
    usages = tried.sample.model_usage.values()
    assert sum(usage.total_tokens for usage in usages) == answers(tried) * counted
    assert all(usage.input_tokens >= 0 for usage in usages)


def test_a_service_cannot_make_the_budget_grow(attempt: Try) -> None:
    step = call("bash", command="true")
    first = stating(step, **counts(-BILLION, -BILLION, -2 * BILLION))
    later = stating(step, **counts(600, 0, 600))
    tried = attempt("react", by_turn([first, *[later] * 8]), Budget(tokens=1000))
    assert tried.score["limit"] == "token"
    assert answers(tried) == 3


def answers(tried: Tried) -> int:
    return sum(event.event == "model" for event in tried.sample.events)
