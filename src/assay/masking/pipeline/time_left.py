"""Estimates how long the proofs take: first from the length of a run, then from the finished proofs."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

FIXED_RUNS = 11
"""Runs of a function besides its mutants: stub, fillings, screening, oracle and idle."""
RUN_OVERHEAD = 0.3
"""Seconds that a sandbox and a fresh copy of the files add to a run."""


@dataclass
class TimeLeft:
    """The progress of the proofs of one repository."""

    count: int
    run_seconds: float
    mutants: int
    processes: int
    _finished: int = 0
    _start: float = field(default_factory=time.monotonic)

    @property
    def _forecast(self) -> float:
        runs = self.count * (FIXED_RUNS + self.mutants)
        return runs * (self.run_seconds + RUN_OVERHEAD) / self.processes

    def estimate(self) -> str:
        """Describe the forecast before the first proof."""
        return (
            f"time: about {duration(self._forecast)} for {self.count} functions, {FIXED_RUNS + self.mutants} "
            f"runs of {self.run_seconds:.1f} s each, {self.processes} at a time"
        )

    def finish_one(self) -> str:
        """Count one finished proof and describe the progress."""
        self._finished += 1
        seconds_left = (time.monotonic() - self._start) / self._finished * (self.count - self._finished)
        left = f", about {duration(seconds_left)} left" if self._finished < self.count else ""
        return f"{self._finished} of {self.count}{left}"


def duration(seconds: float) -> str:
    """Write a duration in seconds or minutes."""
    return f"{seconds:.0f} s" if seconds < 100 else f"{seconds / 60:.0f} min"
