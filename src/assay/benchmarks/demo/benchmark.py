"""The demo as a benchmark."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from assay.benchmarks.demo import DATA
from assay.benchmarks.shipped import ShippedBenchmark
from assay.tasks.kinds import CHALLENGE, EXPERIMENT, MASKED, Kind


class DemoBenchmark(ShippedBenchmark):
    """Twelve small tasks of our own."""

    name = "demo"
    summary = "Twelve small tasks of all three kinds, graded only by running code."
    folder = DATA
    licence = "Apache-2.0"
    quick_tasks: ClassVar[Mapping[Kind, str]] = {
        MASKED: "assay.2401_3",
        EXPERIMENT: "selection-bias",
        CHALLENGE: "prune-classifier",
    }
