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


def is_decided(ruling: Ruling, unproved: bool) -> bool:
    """Whether grading the solution gave what it must, so that a broken grading is the submission's fault.

    A bar that nobody knows is the task's own gap. A published solution that no run has proved may be unmet.
    """
    return ruling.status == "met" or ruling.owner == "task" or (unproved and ruling.status == "unmet")


def without_runs(rulings: Iterable[Ruling]) -> list[Ruling]:
    """The same rulings; if grading itself broke a run, requirements that miss its outputs are unknown."""
    all_rulings = list(rulings)
    for broken in all_rulings:
        is_broken = broken.status == "unknown" and broken.owner in ("grader", "sandbox")
        if broken.item.startswith("execution.") and is_broken:
            evidence = f"not all runs were made: {broken.evidence}"[:600]
            verdict = {"status": "unknown", "evidence": evidence, "owner": broken.owner}
            return [
                ruling._replace(**verdict) if _is_unmet_requirement(ruling) else ruling  # type: ignore[arg-type]
                for ruling in all_rulings
            ]
    return all_rulings


def _is_unmet_requirement(ruling: Ruling) -> bool:
    return ruling.item.startswith("requirement.") and ruling.status == "unmet"
