"""What a run will take, before it begins."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from assay.api.event_loop import outside_event_loop
from assay.benchmarks import Suite, load_suite
from assay.planning.forecast import Forecast, forecast


@outside_event_loop
def plan(
    suite: str | Path | Suite,
    *,
    model: str = "local/smollm2",
    epochs: int = 1,
    agent: str = "react",
    tasks: Sequence[str] = (),
    limit: int | None = None,
    like: str | Path | None = None,
    price: tuple[float, float] | None = None,
    at_once: int = 10,
) -> Forecast:
    """Say what a run will take: tokens, money, hours, disk, and the smallest difference that it can show.

    `like` names earlier logs of the same agent; `price` is dollars per million input and output tokens.
    """
    whole = suite if isinstance(suite, Suite) else load_suite(suite)
    return forecast(
        whole.only(tasks, limit),
        model=model,
        attempts=epochs,
        agent=agent,
        like=like,
        price=price,
        at_once=at_once,
    )
