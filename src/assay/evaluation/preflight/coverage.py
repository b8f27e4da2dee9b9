"""What is missing from recorded agents: hand-ins for some tasks, digests of their files."""

from __future__ import annotations

from collections.abc import Iterator

from assay.agents import find_agent
from assay.evaluation.preflight.checks import PreflightCheck
from assay.evaluation.running import Plan

MOST_NAMED = 5


def check_coverage(planned: Plan) -> Iterator[PreflightCheck]:
    """Warn about each agent that leaves out tasks of kinds that it could try, or has a remark."""
    for agent in dict.fromkeys(attempt.agent for attempt in planned.attempts):
        entry = find_agent(agent)
        if entry.remark:
            yield PreflightCheck("coverage", "warning", f"{agent}: {entry.remark}")
        left_out = [
            task.id for task in planned.suite.tasks if task.kind in entry.kinds and not entry.covers(task, 1)
        ]
        if left_out:
            rest_text = f" and {len(left_out) - MOST_NAMED} more" if len(left_out) > MOST_NAMED else ""
            yield PreflightCheck(
                "coverage",
                "warning",
                f"{agent} has nothing to hand in for {len(left_out)} of {len(planned.suite.tasks)} tasks, "
                f"which it does not try: {', '.join(left_out[:MOST_NAMED])}{rest_text}",
            )
