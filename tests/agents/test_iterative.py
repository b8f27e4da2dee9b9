"""The iterative agent over real HTTP: nothing but its budget ends it."""

from __future__ import annotations

import re

from assay.agents import Budget
from assay.models.scripted import call
from tests.agents.conftest import Try

FILL = "sed -i 's/raise NotImplementedError.*/return value * 3.0/' steps.py"


def test_it_goes_on_until_the_budget_is_spent_and_is_told_what_is_left(attempt: Try) -> None:
    replies = [call("bash", command=FILL), "Done.", call("submit", answer="done"), *["Really done."] * 2]
    tried = attempt(
        "iterative",
        replies,
        Budget(turns=4, tokens=90_000, seconds=300, cost=2.0),
        price=(1000.0, 1000.0),
    )
    assert tried.score["limit"] == "turn"
    assert tried.passed
    assert [tool["function"]["name"] for tool in tried.requests[0]["tools"]] == ["bash", "python"]
    told = re.findall(
        r"Left of your budget: (\d) turns, [\d,]+ tokens, \$[\d.]+, \d+ seconds", tried.asked(3)
    )
    assert told == ["4", "3", "2", "1"]
    assert "cannot end earlier" in tried.asked(0)
    assert "Take the next step" in tried.asked(2)


def test_its_memory_can_be_cut_down(attempt: Try) -> None:
    def answer(messages: list[dict[str, object]]) -> object:
        number = sum("Left of" in str(each["content"]) for each in messages)
        return call("bash", command=f"echo mark-{number}; head -c 6000 /dev/zero | tr '\\0' x")

    tried = attempt("iterative[memory=window,memory_tokens=4000]", answer, Budget(turns=5))
    assert "mark-1" in tried.asked(1)
    assert "mark-1" not in tried.asked(4)
    assert "Fill in `scale`" in tried.asked(4)
