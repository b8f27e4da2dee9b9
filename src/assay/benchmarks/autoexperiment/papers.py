"""What Assay knows about AutoExperiment's papers beyond its rows: pins, needs, where numbers are printed."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Literal

from pydantic import Field

from assay.tasks.metric import Strict
from assay.tasks.model import parse_toml

DATA = Path(__file__).parent / "data"


class MetricPattern(Strict):
    """How to find a metric in what an experiment prints."""

    pattern: str
    """{metric} stands for the metric's name, {number} for a number."""
    take: Literal["only", "last"]


class PaperConfig(Strict):
    """One paper."""

    title: str
    origin: str
    """The repository from which the source tree was copied."""
    origin_commit: str
    """The commit of that repository that is most similar to the copy, or `unknown`."""
    gpus: int
    needs: str
    """What its experiments need but the repository does not contain."""
    data: list[str] = []
    """Folders of the source tree that its data must be in."""
    prepare: str = "true"
    """A command to run before each experiment; it makes folders that the copy lacks."""
    requirements: list[str]
    memory_mb: int
    seconds: float
    """How long one run may take."""
    metrics: dict[str, MetricPattern]
    """Metric → where it is printed; `*` stands for every other metric."""

    def printed(self, metric: str) -> MetricPattern:
        """Return where a metric is printed."""
        return self.metrics.get(metric) or self.metrics["*"]


class Papers(Strict):
    """papers.toml."""

    repository: str
    commit: str
    citation: str
    papers: dict[str, PaperConfig] = Field(min_length=1)


UNKNOWN = PaperConfig(
    title="",
    origin="unknown",
    origin_commit="unknown",
    gpus=0,
    needs="",
    requirements=[],
    memory_mb=4096,
    seconds=1800.0,
    metrics={"*": MetricPattern(pattern="{metric}\\W+({number})", take="last")},
)
"""For a paper that the table does not contain: its numbers are expected after their names."""


@cache
def papers() -> Papers:
    """Read the table that ships with Assay."""
    return parse_toml((DATA / "papers.toml").read_bytes(), Papers, "autoexperiment/papers.toml")


def paper(paper_id: str) -> PaperConfig:
    """Return one paper of the table, or the defaults for an unknown paper."""
    return papers().papers.get(paper_id, UNKNOWN)
