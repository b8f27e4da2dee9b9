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


_GAP = (
    r"(?:[^\w\r\n.+<>@/\\\x1b±−–—-]"  # blanks, quotes, brackets, colons, bars; no sign, no dot
    r"|=>|-{1,9}>|\.{2,99}(?=[ \t])"  # arrows, and leaders as in a table of contents
    r"|\x1b\[[\d;]{0,20}m"  # colours
    r"|(?<=[:=\[(])\r?\n){0,200}"  # the first line of an indented list
)
_QUALIFIER = (
    r"[ \t]{0,9}(?:\([^()\n]{0,80}\)|\[[^\[\]\n]{0,80}\])(?=[\"'`* \t]{0,40}(?:[:=|]|-{1,9}>))"
    r"|[ \t]{0,9}\([^()\n\d]{0,80}\)"
    r"|[ \t]{0,9}[-–—]{1,9}(?=[ \t])"
)
"""accuracy (5 seeds): 0.9; accuracy (mean) 0.9; accuracy - 0.9."""
_WORD = r"(?:(?:is|was|are|of|equals|score|value|mean|average)\b" + _GAP + "){0,2}"
_PHRASE = r"[ \t]{1,9}(?:of|on|over|for|after|at|in|from|with|across)\b[^\n:=,;|]{0,80}[:=]"
"""accuracy of the network on the 10000 test images: 55 %."""
_CALL = r"(?:(?:\w{1,40}\.){0,3}(?:tensor|array|float\d{0,3}|u?int\d{0,3}|decimal)\([\[('\"\s]{0,9})?"
_COUNTED = (
    r"(?:run|seed|epoch|fold|trial|split|step|iteration|iter|repeat|repetition|experiment|sample|model)s?"
)
_NOT_A_PART = (
    r"(?![-+]?\d{1,30}(?:"
    r"[,'_ \xa0\u202f]\d|[ \t]?/[ \t]?\d|x[\da-f]"  # 1,234; 1 234; 81/100; 0x1f and 32x32
    r"|(?:\.\d{0,30})?[-–]\d"  # 2023-01-01, 0.79-0.83
    r"|[ \t-]{1,3}" + _COUNTED + r"(?:[ \t]{0,3}[:=|]|[ \t]{1,3}[-+.\d])))"  # 5 runs: 0.9; 10-fold 0.9
)
"""What follows is no first part of something longer; it compares all digits, so fewer of them do not fit."""
AFTER_NAME = (
    rf"(?i:(?<!\w){{metric}}(?!\w|[-+.]\w)(?:(?:{_QUALIFIER})?{_GAP}{_WORD}|{_PHRASE}{_GAP}){_CALL}"
    + _NOT_A_PART
    + r"({number})(?!(?<=[a-z])(?!inity\b)\w))"
)
"""A number after the name of its metric, in the forms in which programs print results.

What it does not read: a number with separators of thousands, a fraction, a date or a range, and names that a
program prints in other words.
"""

UNKNOWN = PaperConfig(
    title="",
    origin="unknown",
    origin_commit="unknown",
    gpus=0,
    needs="",
    requirements=[],
    memory_mb=4096,
    seconds=1800.0,
    metrics={"*": MetricPattern(pattern=AFTER_NAME, take="last")},
)
"""For a paper that the table does not contain: its numbers are expected after their names."""


@cache
def papers() -> Papers:
    """Read the table that ships with Assay."""
    return parse_toml((DATA / "papers.toml").read_bytes(), Papers, "autoexperiment/papers.toml")


def paper(paper_id: str) -> PaperConfig:
    """Return one paper of the table, or the defaults for an unknown paper."""
    return papers().papers.get(paper_id, UNKNOWN)
