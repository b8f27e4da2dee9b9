"""What a run will take, before it begins."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from assay.api.event_loop import outside_event_loop
from assay.api.suites import choose_tasks
from assay.benchmarks import Suite
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
    earlier_logs: str | Path | None = None,
    price: tuple[float, float] | None = None,
    at_once: int = 10,
) -> Forecast:
    """Say what a run will take: tokens, money, hours, disk, and the smallest difference that it can show.

    `earlier_logs` of the same agent make the forecast better; `price` is dollars per million input and
    output tokens.
    """
    return forecast(
        choose_tasks(suite, tasks, limit),
        model=model,
        attempts=epochs,
        agent=agent,
        like=earlier_logs,
        price=price,
        at_once=at_once,
    )
