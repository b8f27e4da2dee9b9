"""A forecast in words."""

from __future__ import annotations

from assay.planning.forecast import Forecast
from assay.reporting.comparison_table import points
from assay.reporting.wording import count, money_text, percent, time_text, tokens_text


def forecast_lines(plan: Forecast) -> list[str]:
    """One fact a line: what is asked for, what it takes, what it can show."""
    total = plan.tasks * plan.attempts
    need = f"{count(plan.gpu_tasks, 'task')} of {plan.tasks}"
    gpu = f"needed by {need}, up to {plan.gpus} at once; GPU memory: {plan.gpu_memory}"
    return [
        f"{plan.suite}: {count(plan.tasks, 'task')} × {count(plan.attempts, 'attempt')} of {plan.agent}"
        f" ({plan.model}) = {count(total, 'attempt')}",
        f"tokens  {tokens_text(plan.input_tokens)} in, {tokens_text(plan.output_tokens)} out",
        f"money   {money_text(plan.dollars)} ({plan.price})",
        f"time    {time_text(plan.hours_at_once * 3600)} with {plan.at_once} at once; one by one"
        f" {time_text(plan.hours * 3600)}, at most {time_text(plan.hours_limit * 3600)}",
        f"disk    {plan.disk_mb:,.0f} MB stay, at most {plan.disk_mb_limit:,.0f} MB at once (a task's sandbox"
        f" may hold {plan.storage_mb:,} MB); task environments come on top",
        f"GPUs    {gpu if plan.gpu_tasks else 'none needed'}",
        *judge_lines(plan),
        *power_lines(plan),
        *challenge_lines(plan),
        f"basis   {plan.basis}",
    ]


def judge_lines(plan: Forecast) -> list[str]:
    """What the judge takes on top; nothing without a judge."""
    judge = plan.judge
    if judge is None:
        return []
    return [
        f"judge   {judge.model}: {judge.items:,} items × {judge.repeats} = {judge.calls:,} calls,"
        f" {tokens_text(judge.input_tokens)} tokens in, {tokens_text(judge.output_tokens)} out",
        f"judge   {money_text(judge.dollars)} ({judge.price}); {time_text(judge.hours * 3600)} one by one;"
        f" {judge.basis}",
    ]


def power_lines(plan: Forecast) -> list[str]:
    """What difference between two agents the planned attempts can show."""
    power = plan.power
    lines = []
    for visible in power.visible:
        visible_text = (
            "no difference at all"
            if visible.difference is None
            else f"a difference of {points(visible.difference)} points"
        )
        lines.append(
            f"power   against an agent that passes {percent(visible.rate)}%, {visible_text} can be seen"
            f" ({percent(power.power)}% power, exact McNemar at {power.significance:g},"
            f" {count(power.tasks, 'task')} × {power.attempts})"
        )
    return lines


def challenge_lines(plan: Forecast) -> list[str]:
    """For each challenge, how many attempts tell two agents apart."""
    lines = []
    for row in plan.challenges:
        attempts = ", ".join(
            f"{'more than 1,000' if needed.attempts is None else needed.attempts}"
            f" at spread {needed.spread:.2f}"
            for needed in row.needed
        )
        elsewhere = "" if row.elsewhere is None else f"; on other items from {row.elsewhere:.3g}"
        lines.append(
            f"power   {row.task}: a difference of {row.difference:.3g} needs this many attempts of each"
            f" agent: {attempts} ({row.basis}, as shares of baseline to reference; 80% power, t-test at"
            f" 0.05{elsewhere})"
        )
    return lines
