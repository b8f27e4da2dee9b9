"""The proof that a task is sound; written by `assay certify`, shown beside every number."""

from __future__ import annotations

from assay.tasks.metric import Strict


class CheckResult(Strict):
    """One thing that was proved, or not."""

    holds: bool
    """Whether the task is as it must be in this respect."""
    evidence: str
    """What was seen."""


class Certificate(Strict):
    """What was proved of one task, for exactly these contents."""

    task: str
    """The id of the task."""
    digest: str
    """Hash of the task's contents; a changed task is not certified."""
    assay: str
    """The version of Assay that made the certificate."""
    checks: dict[str, CheckResult]
    """Each check by its name: `oracle`, `idle`, an agent, `broken-VARIANT`, `noise`."""
    sample: bool = False
    """Whether only a few of the checks were made: such a task counts as sampled, not as certified."""
    made_with: list[str] = []
    """Packages and GPUs that checks were made with, where they are not those that the task asks for."""

    @property
    def sound(self) -> bool:
        """Whether every check holds."""
        return bool(self.checks) and all(check.holds for check in self.checks.values())
