"""The frontier suite as a benchmark."""

from __future__ import annotations

from assay.benchmarks.frontier import DATA
from assay.benchmarks.shipped import ShippedBenchmark


class FrontierBenchmark(ShippedBenchmark):
    """Hard tasks of our own, with a small split that is chosen for information."""

    name = "frontier"
    summary = "Hard tasks of all three kinds that strong agents do not saturate, graded by running code."
    folder = DATA
    licence = "Apache-2.0"
    has_drafts = True
