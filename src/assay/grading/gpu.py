"""The rule on GPU memory: what builds and servers of a challenge were seen to use, beside what they may."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from assay.rules.challenge import GPU_MEMORY
from assay.rules.ruling import Ruling, met, unmet
from assay.sandbox import Outcome
from assay.sandbox.gpu.memory_watch import EXCEEDED, LOOK_SECONDS


@dataclass(frozen=True)
class MeasuredRun:
    """A build or a server, its limit on GPU memory, and how it ended."""

    name: str
    limit_mb: int | None
    outcome: Outcome

    @property
    def exceeded(self) -> bool:
        """Whether it was ended because it used more."""
        return self.outcome.exceeded == EXCEEDED


def judge(runs: Sequence[MeasuredRun]) -> list[Ruling]:
    """One ruling over all runs that have a limit; none where no run has."""
    limited = [run for run in runs if run.limit_mb is not None]
    if not limited:
        return []
    parts = [
        f"{run.name} {_amount(run.outcome.gpu_peak_mb)} of {run.limit_mb} MB"
        + (", where it was ended" if run.exceeded else "")
        for run in limited
    ]
    evidence = f"peak: {'; '.join(parts)}; looked at every {LOOK_SECONDS:g} s"
    if any(run.exceeded for run in limited):
        return [unmet(GPU_MEMORY, evidence)]
    if any(run.outcome.gpu_peak_mb is None for run in limited):
        return [Ruling(GPU_MEMORY, "unknown", evidence, owner="sandbox")]
    return [met(GPU_MEMORY, evidence)]


def _amount(peak_mb: float | None) -> str:
    return "unknown" if peak_mb is None else f"{peak_mb:.0f}"
