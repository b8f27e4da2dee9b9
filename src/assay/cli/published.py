"""assay published: a benchmark's published numbers, computed again from what was published, side by side."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from assay.cli.options import AsJson, BenchmarkName, print_report


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command()(published)


def published(
    suite: BenchmarkName,
    source: Annotated[
        Path | None, typer.Option(help="A folder with the published result tables, in place of the cache.")
    ] = None,
    json: AsJson = False,
) -> None:
    """Recompute published numbers, and say where they differ from what the paper prints."""
    from assay.benchmarks import find_benchmark

    print_report(find_benchmark(suite).published(source), as_json=json)
