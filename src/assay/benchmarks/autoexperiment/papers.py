"""What Assay knows of AutoExperiment's papers beside its rows: pins, needs, where numbers are printed."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Literal

from pydantic import Field

from assay.tasks.metric import Strict
from assay.tasks.model import parse_toml

DATA = Path(__file__).parent / "data"


class Printed(Strict):
    """How a metric is found in what an experiment prints."""

    pattern: str
    """{metric} stands for the metric's name, {number} for a number."""
    take: Literal["only", "last"]


class Paper(Strict):
    """One paper."""

    title: str
    origin: str
    """The repository that the source tree was copied from."""
    origin_commit: str
    """The commit of it that is nearest to the copy, or `unknown`."""
    gpus: int
    needs: str
    """What its experiments need and the repository does not hold."""
    prepare: str = "true"
    """A command that goes before each experiment, for folders that the copy lacks."""
    requirements: list[str]
    memory_mb: int
    seconds: float
    """How long one run may take."""
    metrics: dict[str, Printed]
    """Metric → where it is printed; `*` stands for every other."""

    def printed(self, metric: str) -> Printed:
        """Where a metric is printed."""
        return self.metrics.get(metric) or self.metrics["*"]


class Papers(Strict):
    """papers.toml."""

    repository: str
    commit: str
    citation: str
    papers: dict[str, Paper] = Field(min_length=1)


UNKNOWN = Paper(
    title="",
    origin="unknown",
    origin_commit="unknown",
    gpus=0,
    needs="",
    requirements=[],
    memory_mb=4096,
    seconds=1800.0,
    metrics={"*": Printed(pattern="{metric}\\W+({number})", take="last")},
)
"""A paper of the rows that the table does not have; its numbers are looked for behind their names."""


@cache
def papers() -> Papers:
    """The table that ships."""
    return parse_toml((DATA / "papers.toml").read_bytes(), Papers, "autoexperiment/papers.toml")


def paper(paper_id: str) -> Paper:
    """One paper of the table, or what is assumed of an unknown one."""
    return papers().papers.get(paper_id, UNKNOWN)
