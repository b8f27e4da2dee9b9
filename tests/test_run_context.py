"""What belongs to one run ends with it; what belongs to the process stays."""

from __future__ import annotations

import asyncio

from assay.agents.run_cost_cap import Purse, purse
from assay.run_context import new_run, run_context


class Counter:
    """A part that nobody brings, so that it is the process's."""

    value = 0


def test_a_run_has_its_own_money_and_shares_what_it_does_not_bring() -> None:
    outside = purse()
    with new_run(Purse(cap=2.0)):
        purse().add(1.5)
        assert purse().left() == 0.5
        run_context().part(Counter).value += 1
        with new_run(Purse()):
            assert purse().left() is None
        assert purse().left() == 0.5
    assert purse() is outside
    assert run_context().part(Counter).value == 1


def test_a_service_that_states_less_than_nothing_gives_no_money_back() -> None:
    with new_run(Purse(cap=2.0)):
        purse().add(1.5)
        purse().add(-1.0)
        assert purse().left() == 0.5


def test_two_runs_at_once_do_not_see_each_other() -> None:
    async def spend(amount: float) -> float:
        with new_run(Purse(cap=10.0)):
            purse().add(amount)
            await asyncio.sleep(0)
            inner = asyncio.create_task(asyncio.to_thread(lambda: purse().spent))
            return await inner

    async def both() -> list[float]:
        return await asyncio.gather(spend(1.0), spend(2.0))

    assert asyncio.run(both()) == [1.0, 2.0]
