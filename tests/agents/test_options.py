"""Options of agents: written into the name, checked, and part of what an attempt is."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

from assay.agents import find_agent, set_options
from assay.cli import app
from assay.errors import UsageError


def test_options_stand_in_the_name_sorted_and_without_defaults() -> None:
    entry = find_agent("react[plan=yes,memory=window,paper=file]")
    assert entry.name == "react[memory=window,plan=yes]"
    assert entry.changed_options == {"memory": "window", "plan": "yes"}
    assert find_agent(entry.name).name == entry.name
    assert find_agent("react").name == "react"


def test_options_go_to_the_agents_that_have_them() -> None:
    names = set_options(["oracle", "react", "best_of"], ["memory=window", "paper=none"])
    assert names == ["oracle", "react[memory=window,paper=none]", "best_of[paper=none]"]


@pytest.mark.parametrize(
    ("name", "complaint"),
    [
        ("react[memory=elephant]", "expected one of: full, window, summary"),
        ("react[colour=red]", "no option 'colour'"),
        ("react[memory]", "is not key=value"),
        ("react[memory=full", "no closing bracket"),
        ("oracle[memory=full]", "no option 'memory'"),
        ("best_of[k=0]", "a whole number from 1 on"),
        ("agentless[reasoning_tokens=many]", "a whole number from 1 on"),
    ],
)
def test_what_cannot_be_set_is_refused(name: str, complaint: str) -> None:
    with pytest.raises(UsageError) as refused:
        find_agent(name)
    assert complaint in str(refused.value)


def test_an_option_that_no_agent_has_is_refused() -> None:
    with pytest.raises(UsageError, match="none of the agents"):
        set_options(["oracle"], ["memory=window"])


def test_the_reasoning_budget_reaches_the_service() -> None:
    assert find_agent("agentless[reasoning_tokens=8192]").generate == {"reasoning_tokens": 8192}
    assert find_agent("agentless").generate == {}


def test_a_models_name_can_be_set_and_numbers_beside_it_are_still_checked() -> None:
    entry = find_agent("supervisor[planner=openai/gpt-5-mini,worker_turns=5]")
    assert entry.name == "supervisor[planner=openai/gpt-5-mini,worker_turns=5]"
    assert find_agent("supervisor[planner=same]").name == "supervisor"
    with pytest.raises(UsageError, match="a whole number from 1 on"):
        find_agent("supervisor[worker_turns=openai/gpt-5-mini]")


def test_the_list_of_agents_says_what_each_option_takes() -> None:
    told = CliRunner(env={"COLUMNS": "200"}).invoke(app, ["agents"]).stdout
    assert "planner=a name (now same)" in told
    assert "worker_turns=a number (now 30)" in told
