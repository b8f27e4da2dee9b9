"""What a run may spend at most, and whether its tasks are what their certificates prove."""

from __future__ import annotations

import math

from assay.evaluation.certified import describe_uncertified, uncertified
from assay.evaluation.models import NO_MODEL
from assay.evaluation.preflight.checks import PreflightCheck
from assay.evaluation.running import Plan, PlannedAttempt, Settings
from assay.tasks import Task


def check_certificate(planned: Plan, settings: Settings) -> PreflightCheck:
    """Whether every task that will run is what its certificate proves."""
    task_ids = {attempt.task for attempt in planned.left}
    changed = uncertified(planned.suite, task_ids)
    if not changed:
        tasks = [task for task in planned.suite.tasks if task.id in task_ids]
        certified, sampled = sum(task.certified for task in tasks), sum(task.sampled for task in tasks)
        note = f"; of {sampled}, only a sample of the checks was made" if sampled else ""
        return PreflightCheck(
            "certificates", "ok", f"{certified} of {len(task_ids)} tasks are certified{note}"
        )
    return PreflightCheck(
        "certificates",
        "warning" if settings.uncertified else "failed",
        describe_uncertified(planned.suite, changed),
        f"install Assay again, prove them with `assay certify {planned.suite.source}`, or run them as they "
        "are with --uncertified",
    )


def most_spent(planned: Plan, settings: Settings) -> PreflightCheck:
    """The most that the attempts which are left can cost, in money and time."""
    tasks = {task.id: task for task in planned.suite.tasks}
    hours = math.fsum(_hours(tasks[attempt.task], settings) for attempt in planned.left)
    count = f"{len(planned.left)} attempt{'s' if len(planned.left) > 1 else ''}"
    money = _money(planned, settings, tasks)
    return PreflightCheck(
        "at most",
        "ok" if money else "warning",
        f"{money or UNLIMITED}, {hours:.1f} hours, for {count} in a row",
        None if money else LIMIT,
    )


UNLIMITED = "no limit on money"
LIMIT = "set one with --max-cost DOLLARS, or --tokens N for each attempt"


def price_of(model: str, settings: Settings) -> tuple[float, float] | None:
    """Dollars per million input and output tokens; None where nobody says."""
    if settings.price is not None:
        return settings.price
    from inspect_ai.model import get_model_info

    info = get_model_info(model)
    return None if info is None or info.cost is None else (info.cost.input, info.cost.output)


def _hours(task: Task, settings: Settings) -> float:
    return (settings.budget.of(task).seconds or 0.0) / 3600


def _money(planned: Plan, settings: Settings, tasks: dict[str, Task]) -> str | None:
    """The most money in words; None where nothing limits it."""
    if settings.max_cost is not None:
        return f"${settings.max_cost:.2f} (--max-cost)"
    asking = [attempt for attempt in planned.left if not attempt.model.startswith((NO_MODEL, "local/"))]
    if not asking:
        return "$0"
    costs = [_attempt_cost(attempt, settings, tasks[attempt.task]) for attempt in asking]
    known_costs = [cost for cost in costs if cost is not None]
    if len(known_costs) < len(costs):
        return None
    return f"${math.fsum(known_costs):.2f}" + (
        " and the judge's answers" if settings.rules.judge_model else ""
    )


def _attempt_cost(attempt: PlannedAttempt, settings: Settings, task: Task) -> float | None:
    """The most that one attempt can cost: its own cap, or all its tokens at the higher price."""
    allowed = settings.budget.of(task)
    if allowed.cost is not None:
        return allowed.cost
    price = price_of(attempt.model, settings)
    if price is None or allowed.tokens is None:
        return None
    return allowed.tokens * max(price) / 1e6
