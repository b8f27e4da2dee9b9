"""The words of a verdict, and a verdict as plain data."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, NamedTuple

Status = Literal["met", "unmet", "unknown"]

Owner = Literal["agent", "task", "model", "sandbox", "grader"]
"""Whose failure it is: the agent's, the task's, the model service's, the sandbox's, the grader's."""

By = Literal["run", "judge"]
"""Who decides: a run or an exact comparison, or a model that reads."""

DEFAULT = "default"
"""The name of the plain run."""

UNREAD = "no judge read it; --judge-model names one"


class Ruling(NamedTuple):
    """One named item of a grade, before it is written anywhere."""

    item: str
    status: Status
    evidence: str
    owner: Owner | None = None
    by: By = "run"


def met(item: str, evidence: str) -> Ruling:
    """The submission meets the item."""
    return Ruling(item, "met", evidence)


def unmet(item: str, evidence: str) -> Ruling:
    """The submission does not meet the item, and the agent owns that."""
    return Ruling(item, "unmet", evidence, owner="agent")


def unread(item: str, evidence: str) -> Ruling:
    """Only a judge that reads can decide the item."""
    return Ruling(item, "unknown", f"{evidence}, and {UNREAD}", owner="grader", by="judge")


def passed(statuses: Iterable[Status]) -> bool | None:
    """True when every item is met, False when one is unmet, None when it cannot be known."""
    present = set(statuses)
    if "unmet" in present:
        return False
    return None if "unknown" in present or not present else True


def of_solution(ruling: Ruling) -> Ruling:
    """The item when the task's own, unproved solution does not meet it: unknown, and the task owns it."""
    is_open = ruling.status == "unmet" or (ruling.status == "unknown" and ruling.owner == "agent")
    if not is_open or ruling.item.startswith("integrity."):
        return ruling
    evidence = f"the solution itself does not meet it: {ruling.evidence}"
    return ruling._replace(status="unknown", owner="task", evidence=evidence)
