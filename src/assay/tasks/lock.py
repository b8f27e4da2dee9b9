"""The lock of an environment: what was installed for a repository, and how far it was seen to work."""

from __future__ import annotations

from datetime import date
from typing import Literal

from assay.tasks.metric import Strict

Rung = Literal["C0", "C1", "C2", "C3"]
"""C0 its modules import, C1 a smoke run ends well on the CPU, C2 CUDA is seen, C3 one step runs on a GPU."""


class Reached(Strict):
    """One rung of the ladder."""

    status: Literal["met", "unmet", "unknown"]
    evidence: str


class EnvironmentLock(Strict):
    """What `assay env build` writes and what a task's environment is made from."""

    repository: str
    """Where the code came from."""
    commit: str | None = None
    digest: str | None = None
    """SHA-256 over every path and content of the code."""
    python: str
    """The interpreter, such as 3.10."""
    python_reason: str | None = None
    """Why this one."""
    platform: str | None = None
    """The machine that the pins were resolved for, such as linux-x86_64."""
    requirements: list[str]
    """Everything that is installed, each as an exact pin."""
    before: date | None = None
    """No release after this day was considered."""
    sdists: list[str] = []
    """Those among the requirements that are built from source, for want of a wheel."""
    build_constraints: list[str] = []
    """What such a build may use, as setuptools<58."""
    repairs: list[str] = []
    """The repairs, in order: a name from the table of repairs, a colon, and what was changed."""
    notes: list[str] = []
    """What was passed over or could not be read."""
    ladder: dict[Rung, Reached] = {}
