"""What a harvest knows about each package and each task."""

from __future__ import annotations

from typing import Final, Literal, get_args

from assay.masking.dial import Flow
from assay.tasks.metric import Strict

HarvestStage = Literal["fetch", "licence", "environment", "run", "functions", "proof", "certificate", "done"]
"""How far a package came; `done` has certified tasks."""
HARVEST_STAGES: Final[tuple[HarvestStage, ...]] = get_args(HarvestStage)
Difficulty = Literal["easy", "medium", "hard"]


class HarvestedTask(Strict):
    """One certified task, with what its difficulty is estimated from."""

    id: str
    package: str
    functions: list[str]
    n: int
    lines: int
    """Lines of the masked bodies."""
    flow: Flow | None
    mutants: int
    """Mutants that were judged."""
    mutation_score: float
    """Share of them that grading rejects."""
    tests: int
    """Numbers that a solution must reproduce."""
    guessed: bool
    """Something in the body is written nowhere else."""
    difficulty: Difficulty | None = None
    weak_model: float | None = None
    """Share of a weak model's attempts that pass; None if no model tried it."""
    split: str = ""
    duplicate_of: str = ""
    """The task of another package that is almost the same; empty for a task of the suite."""


class PackageRecord(Strict):
    """One package: where it came from, how far it came, and why it came no further."""

    name: str
    version: str = ""
    file: str = ""
    sha256: str = ""
    uploaded: str = ""
    """The day of the upload, if the index states it."""
    licence: str = ""
    run: str = ""
    """The command of the tasks."""
    stage: HarvestStage = "fetch"
    reason: str = ""
    """Why it has no certified task; empty if it has one."""
    executed: int = 0
    """Functions that the run executes."""
    candidates: int = 0
    proved: int = 0
    left_out: dict[str, int] = {}
    """Reason -> how many functions it excluded."""
    tasks: list[HarvestedTask] = []
    selection: str = "n=1"
    """Which combinations of functions have tasks."""
    seconds: float = 0.0
