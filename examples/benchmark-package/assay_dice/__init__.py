"""One task about dice."""

from pathlib import Path

from assay.benchmarks import BaseBenchmark


class DiceBenchmark(BaseBenchmark):
    """The task folders in `tasks/`."""

    name = "dice"
    summary = "One masked function about dice."
    folder = Path(__file__).parent / "tasks"
    licence = "CC0-1.0"
