"""The outcome of one check before a run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from assay.errors import UsageError

CheckState = Literal["ok", "warning", "failed", "skipped"]


@dataclass(frozen=True)
class PreflightCheck:
    """One line of the preflight."""

    name: str
    state: CheckState
    message: str
    fix: str | None = None
    """The command or edit that makes a failed check pass."""

    @property
    def line(self) -> str:
        """The check as it is printed."""
        return f"{self.state:<8} {self.name:<12} {self.message}"


class PreflightFailed(UsageError):
    """The run would not work; `checks` says why."""

    def __init__(self, failed: Sequence[PreflightCheck]) -> None:
        self.checks = list(failed)
        count = "a check" if len(failed) == 1 else f"{len(failed)} checks"
        reasons = "; ".join(f"{check.name}: {check.message}" for check in failed)
        fixes = "; ".join(dict.fromkeys(check.fix for check in failed if check.fix))
        super().__init__(f"{count} before the run failed: {reasons}", hint=fixes or None)
