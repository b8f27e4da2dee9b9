"""What is known about running the published solutions: on two cores, without a GPU, network or other data.

`data/gold_runs.csv` has one row for each task that was tried: whether its solution ran to its end in the
sandbox, in the environment that `assay env build --paper` made, or the kind of reason why not.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import cache
from typing import Literal, get_args

from assay.benchmarks.expbench.papers import DATA
from assay.errors import AssayError

GoldStatus = Literal["runs", "command", "code", "data", "network", "service", "gpu", "package", "time"]
"""`runs`, or what is missing.

`command`: the record names nothing that can be run, or leaves out arguments. `code`: the published code fails
by itself. `data`: files that the repository does not have, weights among them. `network`: it downloads.
`service`: a model service or a server. `gpu`: it asks for CUDA. `package`: a package that cannot be installed
on a machine without a GPU. `time`: more than an hour on two cores.
"""

TruthStatus = Literal["verified", "contradicted", "unverified"]
"""Whether the numbers of the solution's own run agree with the published outcome."""


@dataclass(frozen=True)
class GoldRun:
    """The outcome of running one published solution."""

    task: str
    status: GoldStatus
    runs: int
    """How many times it was run."""
    seconds: float | None
    """Of the fastest run; None if nothing was started."""
    numbers: int | None
    """How many numbers results.json had; None if there was none."""
    python: str
    notes: str
    truth: TruthStatus
    why: str
    """What the run shows about the outcome, or why it shows nothing."""

    @property
    def summary(self) -> str:
        """One phrase for a list of tasks."""
        if self.status == "runs":
            return f"gold runs in {self.seconds:.0f} s, outcome {self.truth}"
        return f"gold does not run here: {self.status}"


@cache
def gold_runs() -> dict[str, GoldRun]:
    """Return task id → what is known about its solution, from the table that ships with Assay."""
    with (DATA / "gold_runs.csv").open(newline="", encoding="utf-8") as stream:
        rows = [_gold_run(row) for row in csv.DictReader(stream)]
    return {row.task: row for row in rows}


def truth_of(task_id: str) -> TruthStatus:
    """Whether a published outcome was confirmed by running its solution; most were not."""
    return gold_runs()[task_id].truth if task_id in gold_runs() else "unverified"


def runs_without_gpu(task_id: str) -> bool:
    """Whether the solution of a task was seen to run without a GPU."""
    return task_id in gold_runs() and gold_runs()[task_id].status == "runs"


def _gold_run(row: dict[str, str]) -> GoldRun:
    status = row["status"]
    for known in get_args(GoldStatus):
        if status == known:
            return GoldRun(
                row["task"],
                known,
                int(row["runs"]),
                float(row["seconds"]) if row["seconds"] else None,
                int(row["numbers"]) if row["numbers"] else None,
                row["python"],
                row["notes"],
                _truth(row),
                row["why"],
            )
    raise AssayError(f"gold_runs.csv: {row['task']} has the status {status!r}", hint="install Assay again")


def _truth(row: dict[str, str]) -> TruthStatus:
    for known in get_args(TruthStatus):
        if row["truth"] == known:
            status: TruthStatus = known
            return status
    raise AssayError(
        f"gold_runs.csv: {row['task']} has the truth {row['truth']!r}", hint="install Assay again"
    )
