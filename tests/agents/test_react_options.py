"""The react agent: options, memory, and a budget that binds and is told each turn."""

from __future__ import annotations

import re

from assay.agents import Budget
from assay.agents.environment_tool import EnvironmentReport, check_text, packages_text
from assay.models.scripted import call
from tests.agents.conftest import Try

FILL = "sed -i 's/raise NotImplementedError.*/return value * 3.0/' steps.py"
DONE = call("submit", answer="done")


def test_the_budget_is_told_each_turn_and_falls(attempt: Try) -> None:
    tried = attempt(
        "react",
        [call("bash", command=FILL), "I think that was it.", DONE],
        Budget(turns=9, tokens=90_000, seconds=300, cost=2.0),
        price=(1000.0, 1000.0),
    )
    assert tried.passed
    told = [re.findall(r"Left of your budget: (.*)\.", tried.asked(number)) for number in range(3)]
    assert [len(each) for each in told] == [1, 2, 3]
    assert "9 turns, 90,000 tokens, $2.0000, 300 seconds" in told[2][0]
    assert "8 turns" in told[2][1]
    assert "7 turns" in told[2][2]
    left = [float(found) for found in re.findall(r"\$([\d.]+)", " ".join(told[2]))]
    assert left[0] > left[1] > left[2] > 0
    assert "call submit()" in tried.asked(2)


def test_turns_bind_and_what_was_left_is_graded(attempt: Try) -> None:
    tried = attempt("react", lambda messages: call("bash", command=FILL), Budget(turns=3))
    assert tried.score["limit"] == "turn"
    assert len(tried.requests) <= 4
    assert tried.passed


def test_money_binds_for_a_model_whose_price_the_user_sets(attempt: Try) -> None:
    tried = attempt(
        "react", lambda messages: call("bash", command="ls"), Budget(cost=0.5), price=(200.0, 200.0)
    )
    assert tried.score["limit"] == "cost"
    assert not tried.passed


def test_a_plan_is_asked_for_when_wanted_and_the_log_says_so(attempt: Try) -> None:
    tried = attempt("react[plan=yes]", [DONE])
    assert "write down a plan" in tried.asked(0)
    assert tried.log.eval.metadata is not None
    about = tried.log.eval.metadata["assay"]
    assert about["agent"] == "react[plan=yes]"
    assert about["options"] == {"plan": "yes"}


def test_the_environment_tool_lists_packages_and_names_imports_that_fail(attempt: Try) -> None:
    script = "printf 'import json, yaml\\nfrom math import cosine\\nimport steps\\n' > use.py"
    tried = attempt(
        "react[tools=environment]",
        [
            call("bash", command=script),
            call("environment", action="packages"),
            call("environment", action="check", path="use.py"),
            DONE,
        ],
    )
    assert "The tool `environment` lists" in tried.asked(0)
    assert re.search(r"Python 3\.\d+", tried.asked(2))
    answer = tried.asked(3)
    assert "2 of 3 imports fail; nothing can be installed" in answer
    assert "yaml: ModuleNotFoundError" in answer
    assert "it is part of pyyaml, which is not installed" in answer
    assert "math: cosine" in answer


def test_files_of_the_agent_do_not_answer_for_the_environment(attempt: Try) -> None:
    script = "echo 'raise SystemExit(5)' > json.py; echo 'import yaml' > use.py"
    tried = attempt(
        "react[tools=environment]",
        [
            call("bash", command=script),
            call("environment", action="check", path="use.py"),
            DONE,
        ],
    )
    assert "1 of 1 imports fail" in tried.asked(2)


def test_a_huge_report_of_the_environment_is_cut() -> None:
    many = {f"name{number}": "x" * 1_000 for number in range(30_000)}
    report = EnvironmentReport(python="3.11", installed=many, problems=many, checked=30_000)
    for text in (packages_text(report), check_text(report)):
        assert len(text) < 500_000
        assert text.endswith("… and more")


def test_a_window_forgets_the_beginning_and_full_memory_does_not(attempt: Try) -> None:
    long = [
        call("bash", command=f"echo mark-{number}; head -c 6000 /dev/zero | tr '\\0' x")
        for number in range(5)
    ]
    window = attempt("react[memory=window,memory_tokens=4000]", [*long, DONE])
    assert "mark-0" not in window.asked(5)
    assert "mark-4" in window.asked(5)
    assert "Fill in `scale`" in window.asked(5)
    full = attempt("react", [*long, DONE])
    assert "mark-0" in full.asked(-1)


def test_a_summary_takes_the_place_of_what_was_said(attempt: Try) -> None:
    def answer(messages: list[dict[str, object]]) -> object:
        text = str(messages[-1].get("content"))
        if "summar" in text.lower():
            return "SUMMARY: the files were read."
        spoken = sum(each["role"] == "assistant" for each in messages)
        return (
            DONE
            if spoken >= 3 or "SUMMARY" in str(messages)
            else call("bash", command="head -c 9000 /dev/zero | tr '\\0' x")
        )

    tried = attempt("react[memory=summary,memory_tokens=4000]", answer)
    assert any(
        "SUMMARY: the files were read." in tried.asked(number) for number in range(len(tried.requests))
    )
    assert tried.sample.error is None
