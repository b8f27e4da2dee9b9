"""What is true of a submission, item by item, and who owns each failure."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator

from assay.tasks.metric import Strict

Status = Literal["met", "unmet", "unknown"]

Owner = Literal["agent", "task", "model", "sandbox", "grader"]
"""Whose failure it is: the agent's, the task's, the model service's, the sandbox's, the grader's."""


def showable(text: str) -> str:
    """Text that any log, terminal or page can hold: half characters and control codes are spelled out."""
    if text.isprintable():
        return text
    return "".join(each if each.isprintable() or each in "\n\t" else ascii(each)[1:-1] for each in text)


Evidence = Annotated[str, AfterValidator(showable)]


class Verdict(Strict):
    """One named item, with its evidence; unknown is never zero and never dropped."""

    item: str
    """`phase.name`: result.default.accuracy, design.optimizer, requirement.seeds, execution.run,
    conclusion.winner, rule.parameters, score.reference, integrity.links."""
    status: Status
    evidence: Evidence
    owner: Owner | None = None
    """Who owns it when it is not met."""

    @property
    def phase(self) -> str:
        """The first part of the item's name."""
        return self.item.partition(".")[0]


class Notice(Strict):
    """Something the monitor saw that does not decide the grade by itself."""

    flag: str
    """history, truth, installed-copy, clock, disk, judge, …"""
    evidence: Evidence


class Grade(Strict):
    """All verdicts on one submission."""

    task: str
    kind: str
    verdicts: list[Verdict]
    notices: list[Notice] = []
    score: float | None = None
    """A challenge's raw metric."""
    standard_error: float | None = None
    normalised: float | None = None
    """A challenge's score with the baseline at 0 and the reference at 1."""
    submission: str = ""
    """SHA-256 of the archived submission."""
    seconds: float = 0.0
    """How long grading took."""

    @property
    def passed(self) -> bool | None:
        """True when every item is met, False when one is unmet, None when it cannot be known."""
        statuses = {verdict.status for verdict in self.verdicts}
        if "unmet" in statuses:
            return False
        return None if "unknown" in statuses or not statuses else True

    @property
    def share_met(self) -> float | None:
        """The share of items that are met among those that are known; integrity is owed, not earned."""
        known = [each for each in self.verdicts if each.status != "unknown" and each.phase != "integrity"]
        return sum(verdict.status == "met" for verdict in known) / len(known) if known else None

    @property
    def caught_by(self) -> Verdict | None:
        """The verdict that speaks first against the submission: integrity before numbers."""
        unmet = [verdict for verdict in self.verdicts if verdict.status == "unmet"]
        return min(unmet, key=lambda verdict: verdict.phase != "integrity", default=None)
