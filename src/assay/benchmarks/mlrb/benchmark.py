"""The ML Research Benchmark as two benchmarks: one that takes minutes, and one of the published size."""

from __future__ import annotations

from pathlib import Path

from assay.benchmarks import mlrb
from assay.benchmarks.base import BaseBenchmark
from assay.benchmarks.fetch_request import FetchRequest
from assay.benchmarks.mlrb import fetching, full, inputs, sources
from assay.benchmarks.mlrb.reports import MadeInputs, SourcedInputs
from assay.benchmarks.suite import Suite
from assay.errors import UsageError
from assay.tasks.selection import Selection


class MlrbMini(BaseBenchmark):
    """The challenges at a size that takes minutes on two cores."""

    name = mlrb.NAME
    summary = "The ML Research Benchmark's challenges (arXiv 2410.22553) in minutes on two cores."
    fetch_command = "assay fetch mlrb-mini"
    licence = "Apache-2.0 (the tasks); each input has its own, `assay fetch mlrb-mini --json` lists them"

    def load(self, selection: Selection) -> Suite:
        """Read the challenges; `needs` names the missing inputs of each."""
        return mlrb.load().select(selection)

    def count_tasks(self) -> int:
        """Count the task folders."""
        return len(list(mlrb.DATA.glob("*/task.toml")))

    def fetch(self, request: FetchRequest) -> MadeInputs:
        """Make models and data from archives and from the local model."""
        if request.commit or request.papers:
            raise UsageError("mlrb-mini has no commit and no papers", hint="give --source and --only alone")
        if request.source is not None and not Path(request.source).is_dir():
            raise UsageError(
                f"{request.source} is no folder", hint="--source is a folder of archives NAME.tar.gz"
            )
        source = Path(request.source) if request.source else None
        return MadeInputs(
            inputs.fetch(source, lambda name: request.tell(f"making {name}"), challenge=request.challenge)
        )


class MlrbFull(BaseBenchmark):
    """The challenges at their published size."""

    name = full.NAME
    summary = "The ML Research Benchmark (arXiv 2410.22553) at its own size: nine challenges for GPUs."
    fetch_command = "assay fetch mlrb"
    licence = "Apache-2.0 (the tasks); each input has its own, `assay fetch mlrb --json` lists them"

    def load(self, selection: Selection) -> Suite:
        """Read the challenges; `needs` names the missing inputs of each."""
        return full.load().select(selection)

    def count_tasks(self) -> int:
        """Count the task folders."""
        return len(list(sources.DATA.glob("*/task.toml")))

    def fetch(self, request: FetchRequest) -> SourcedInputs:
        """Download the inputs from their homes; the first fetch locks their hashes."""
        if request.source or request.commit or request.papers:
            raise UsageError("mlrb takes its inputs from their homes", hint="give --only, or nothing")
        return SourcedInputs(fetching.fetch(request.challenge, request.tell))
