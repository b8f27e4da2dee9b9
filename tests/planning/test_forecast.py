from __future__ import annotations

from pathlib import Path
from typing import get_args

import pytest
from inspect_ai.model import ModelUsage

from assay.benchmarks import Suite
from assay.planning.challenge_power import challenge_powers
from assay.planning.forecast import forecast
from assay.reporting.forecast_text import forecast_lines
from assay.scoring import Attempt, attempts_needed, power_table
from assay.tasks import Kind
from assay.tasks.template import template
from tests.synthetic_logs import Run, attempt


@pytest.fixture(scope="module")
def suite() -> Suite:
    """One task of each kind, as `assay new` writes them."""
    return Suite(name="mine", source="mine", tasks=[template(kind, kind) for kind in get_args(Kind)])


def test_without_logs_the_expectation_is_an_assumption_and_says_so(suite: Suite) -> None:
    found = forecast(suite, model="openai/gpt-4o", attempts=2, price=(2.0, 10.0))

    assert (found.tasks, found.attempts) == (3, 2)
    assert "assumed" in found.basis
    assert {row.basis for row in found.per_task} == {"assumption"}
    assert found.input_tokens == 2 * sum(row.input_tokens for row in found.per_task) > 0
    dollars = (found.input_tokens * 2.0 + found.output_tokens * 10.0) / 1e6
    assert found.dollars == pytest.approx(dollars)
    assert 0 < found.hours <= found.hours_limit
    assert found.hours_at_once <= found.hours
    assert found.disk_mb < found.disk_mb_limit


def test_money_is_unknown_where_no_price_is(suite: Suite) -> None:
    found = forecast(suite, model="openai/gpt-4o")

    assert found.dollars is None
    assert "give --price" in found.price
    assert forecast(suite, model="local/smollm2").dollars == 0
    assert forecast(suite, model="openai/gpt-4o", agent="oracle").dollars == 0


def test_one_pass_reads_less_than_twenty_turns(suite: Suite) -> None:
    once = forecast(suite, model="openai/gpt-4o", agent="agentless")

    assert 0 < once.input_tokens < forecast(suite, model="openai/gpt-4o").input_tokens


@pytest.mark.parametrize(
    ("agent", "answers"),
    [("agentless[reasoning_effort=high]", 1), ("best_of[k=3]", 3), ("best_of[verifier=paper]", 5)],
)
def test_an_agent_with_options_is_planned_with_the_answers_that_it_gives(
    suite: Suite, agent: str, answers: int
) -> None:
    once = forecast(suite, model="openai/gpt-4o", agent="agentless")
    planned = forecast(suite, model="openai/gpt-4o", agent=agent)

    assert planned.input_tokens == pytest.approx(answers * once.input_tokens, abs=10)
    assert planned.output_tokens == pytest.approx(answers * once.output_tokens, abs=10)
    assert planned.hours == pytest.approx(answers * once.hours)


def test_earlier_logs_say_what_to_expect(suite: Suite, tmp_path: Path) -> None:
    usage = {"openai/x": ModelUsage(input_tokens=900, output_tokens=100, total_tokens=1000, total_cost=0.25)}
    known = attempt("masked", "passed", total_time=9.0, model_usage=usage)
    other = attempt("prune", "failed", total_time=30.0, model_usage=usage)
    Run("react", [known, other], model="openai/x").write(tmp_path)
    Run("oracle", [attempt("masked", "passed", total_time=900.0)]).write(tmp_path)

    found = forecast(suite, model="openai/x", attempts=4, like=tmp_path)

    rows = {row.task: row for row in found.per_task}
    assert {task: (row.basis, row.seconds) for task, row in rows.items()} == {
        "masked": ("this task", 9.0),
        "experiment": ("all", 19.5),
        "challenge": ("this kind", 30.0),
    }
    assert (found.input_tokens, found.output_tokens) == (4 * 3 * 900, 4 * 3 * 100)
    assert found.dollars == pytest.approx(4 * 3 * 0.25)
    assert found.power == power_table(3, 4, (0.5,))
    assert "from 2 attempts" in found.basis


def test_no_attempt_is_expected_to_outlast_its_budget(suite: Suite, tmp_path: Path) -> None:
    Run("react", [attempt("masked", "failed", total_time=1e6)], model="openai/x").write(tmp_path)

    found = forecast(suite, model="openai/x", like=tmp_path)

    assert all(row.seconds == row.seconds_limit for row in found.per_task)


def test_gpus_are_counted_and_their_memory_is_not_made_up(suite: Suite) -> None:
    first, *rest = suite.tasks
    machine = first.config.environment.model_copy(update={"gpus": 2, "storage_mb": 5000})
    config = first.config.model_copy(update={"environment": machine})
    heavy = Suite(name="mine", source="mine", tasks=[first.model_copy(update={"config": config}), *rest])

    plain, found = forecast(suite, model="m"), forecast(heavy, model="m")

    assert (plain.gpus, plain.gpu_tasks, plain.gpu_memory_mb) == (0, 0, 0)
    assert (found.gpus, found.gpu_tasks, found.gpu_memory_mb) == (2, 1, None)
    assert found.storage_mb == 5000
    said = "\n".join(forecast_lines(found))
    assert "GPUs    needed by 1 task of 3, up to 2 at once; GPU memory: not stated by the tasks" in said
    assert "GPUs    none needed" in "\n".join(forecast_lines(plain))


def test_a_challenge_says_how_many_attempts_tell_two_agents_apart(suite: Suite) -> None:
    found = forecast(suite, model="m")

    (row,) = found.challenges
    assert (row.task, row.difference) == ("challenge", pytest.approx((363.0 - 0.05) / 2))
    assert [(needed.spread, needed.attempts) for needed in row.needed] == [(0.1, 3), (0.25, 6), (0.5, 17)]
    assert (row.basis, row.elsewhere) == ("assumed spreads", None)
    said = "\n".join(forecast_lines(found))
    assert "challenge: a difference of 181 needs this many attempts of each agent: 3 at spread 0.10," in said


def test_earlier_attempts_at_a_challenge_give_its_spread(suite: Suite) -> None:
    scores = (100.0, 200.0, 300.0, None)
    earlier = [
        Attempt(
            suite="mine",
            model="m",
            agent="react",
            task="challenge",
            epoch=epoch,
            score=score,
            standard_error=score and 20.0,
        )
        for epoch, score in enumerate(scores)
    ]

    (row,) = challenge_powers(suite.tasks, earlier)

    assert row.basis == "spread of 3 earlier attempts"
    (needed,) = row.needed
    assert needed.spread == pytest.approx(100 / 362.95)
    assert needed.attempts == attempts_needed(362.95 / 2, 100.0) == 6
    assert row.elsewhere == pytest.approx(2.8016 * 2**0.5 * 20, rel=1e-3)
    assert challenge_powers(suite.tasks, earlier[:2])[0].basis == "assumed spreads"
