"""Item analysis: what a task tells about agents, on made-up attempts with known answers."""

from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as some

from assay.scoring import Attempt, analyse_tasks, choose_informative
from assay.scoring.scorecards.item_analysis import TaskAnalysis, information, point_biserial

RATES = some.lists(some.floats(0, 1), min_size=2, max_size=8)


def attempt(agent: str, task: str, passed: bool | None, **changes: object) -> Attempt:
    fields = {"suite": "s", "agent": agent, "model": "none", "task": task, "epoch": 1, "passed": passed}
    owner = "sandbox" if passed is None else "agent"
    times = {"working_seconds": 30.0, "grading_seconds": 30.0}
    return Attempt.model_validate({**fields, "owner": owner, **times, **changes})


def table(outcomes: dict[str, dict[str, bool | None]], **changes: object) -> dict[str, TaskAnalysis]:
    """Task → its analysis, from task → agent → outcome."""
    attempts = [
        attempt(agent, task, passed, **changes)
        for task, by_agent in outcomes.items()
        for agent, passed in by_agent.items()
    ]
    return {analysed.task: analysed for analysed in analyse_tasks(attempts)}


LADDER: dict[str, dict[str, bool | None]] = {
    "easy": {"weak": True, "medium": True, "strong": True},
    "middle": {"weak": False, "medium": True, "strong": True},
    "hard": {"weak": False, "medium": False, "strong": True},
    "hopeless": {"weak": False, "medium": False, "strong": False},
}
BACKWARDS: dict[str, bool | None] = {"weak": True, "medium": False, "strong": False}


def test_a_ladder_of_agents_gives_the_expected_table() -> None:
    tasks = table(LADDER)
    assert {name: task.rate.passed for name, task in tasks.items()} == {
        "easy": 3,
        "hard": 1,
        "hopeless": 0,
        "middle": 2,
    }
    assert tasks["easy"].flags == ["all pass"]
    assert tasks["hopeless"].flags == ["all fail"]
    assert table({**LADDER, "backwards": BACKWARDS})["backwards"].flags == ["stronger agents fail it"]
    assert tasks["easy"].discrimination is None
    assert tasks["easy"].information == 0.0
    # Passing `hard` (0, 0, 1) against the rates on the other tasks (1/3, 2/3, 2/3).
    assert math.isclose(tasks["hard"].discrimination or 0.0, 0.5)
    assert tasks["hard"].minutes == 1.0
    assert tasks["hard"].information_per_minute == tasks["hard"].information


def test_only_measured_agents_count_and_unknown_is_not_a_failure() -> None:
    tasks = table(LADDER, role="calibrator")
    assert tasks == {}
    unknown = table({"a": {"x": True, "y": None}, "b": {"x": True, "y": False}})["a"]
    assert (unknown.agents, unknown.rate.scored, unknown.information) == (1, 1, None)
    assert unknown.flags == ["all pass", "unknown outcomes not owned by agents"]


def test_unknown_time_is_not_zero() -> None:
    task = table(LADDER, working_seconds=None, grading_seconds=None)["hard"]
    assert (task.minutes, task.information_per_minute) == (None, None)


@given(RATES)
def test_information_is_between_nothing_and_one_bit_and_blind_to_names(rates: list[float]) -> None:
    bits = information(rates)
    assert 0.0 <= bits <= 1.0
    assert math.isclose(bits, information(rates[::-1]), abs_tol=1e-9)
    assert math.isclose(bits, information([1 - rate for rate in rates]), abs_tol=1e-9)


@given(some.floats(0, 1), some.integers(2, 8))
def test_equal_agents_give_no_information(rate: float, agents: int) -> None:
    assert information([rate] * agents) < 1e-9


def test_agents_that_cannot_be_confused_give_one_bit() -> None:
    assert information([0.0, 1.0]) == 1.0


@given(some.lists(some.tuples(some.booleans(), some.floats(0, 1)), min_size=2, max_size=20))
def test_a_correlation_has_bounds_and_changes_sign_with_the_outcome(rows: list[tuple[bool, float]]) -> None:
    outcomes, abilities = [passed for passed, _ in rows], [ability for _, ability in rows]
    value = point_biserial(outcomes, abilities)
    if value is not None:
        opposite = point_biserial([not passed for passed in outcomes], abilities)
        assert -1.0 <= value <= 1.0
        assert opposite is not None
        assert math.isclose(value, -opposite, abs_tol=1e-9)


@given(
    some.lists(
        some.tuples(some.sampled_from(["masked", "experiment", "challenge"]), some.floats(0, 1)),
        min_size=1,
        max_size=40,
    ),
    some.integers(1, 15),
)
def test_a_choice_has_the_size_asked_for_and_the_best_of_each_kind(
    rows: list[tuple[str, float]], count: int
) -> None:
    template = table({"a": {"x": True, "y": False}, "b": {"x": True, "y": False}})["a"]
    tasks = [
        template.model_copy(update={"task": f"t{number:02d}", "kind": kind, "information_per_minute": value})
        for number, (kind, value) in enumerate(rows)
    ]
    chosen = choose_informative(tasks, count)
    assert len(chosen) == len(set(chosen)) == min(count, len(tasks))
    values = {task.task: task.information_per_minute or 0.0 for task in tasks}
    kinds = {task.task: task.kind for task in tasks}
    for kind in {kinds[task] for task in chosen}:
        inside = [values[task] for task in chosen if kinds[task] == kind]
        outside = [values[task] for task in values if kinds[task] == kind and task not in chosen]
        assert min(inside) >= max(outside, default=0.0)
    if count >= len(set(kinds.values())):
        assert {kinds[task] for task in chosen} == set(kinds.values())
