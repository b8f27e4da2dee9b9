"""What the three benchmarks published: totals to hold one's own beside, cited and not measured here."""

from __future__ import annotations

import csv
from functools import cache
from importlib.resources import files
from typing import Literal

from assay.tasks.metric import Strict

Benchmark = Literal["autoexperiment", "expbench", "mlrb"]


class Published(Strict):
    """One number of a paper."""

    benchmark: Benchmark
    agent: str
    model: str
    measure: str
    """What was measured, in the paper's own terms: pass@1, D, All·E✓, SuperGLUE, …"""
    setting: str
    """On what: `n=1`, a challenge's name, or empty for the whole benchmark."""
    value: float
    unit: Literal["share", "dollars"]
    """Shares are within 0 and 1."""
    denominator: int | None
    """Tasks or runs that stand below the line, where the paper says."""
    source: str
    """The paper and the table."""


@cache
def published(benchmark: Benchmark | None = None) -> tuple[Published, ...]:
    """The cited numbers of one benchmark, or of all three."""
    folder = files("assay.scoring") / "published"
    names = [benchmark] if benchmark else ["autoexperiment", "expbench", "mlrb"]
    return tuple(
        _row(name, line)
        for name in names
        for line in csv.DictReader((folder / f"{name}.csv").read_text(encoding="utf-8").splitlines())
    )


def _row(benchmark: str, line: dict[str, str]) -> Published:
    count = line["denominator"]
    numbers = {"value": float(line["value"]), "denominator": int(count) if count else None}
    return Published.model_validate({"benchmark": benchmark, **line, **numbers})
