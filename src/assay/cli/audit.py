"""assay audit: what is wrong with the published tasks of a benchmark."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from assay.cli.options import AsJson, BenchmarkName, print_report


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command()(audit)


def audit(
    suite: BenchmarkName,
    source: Annotated[
        Path | None, typer.Option(help="A folder with the data, in place of the cache.")
    ] = None,
    decidable: Annotated[
        bool, typer.Option("--decidable", help="What decides each item: a run, text, a reader, or nothing.")
    ] = False,
    judge_model: Annotated[
        str | None,
        typer.Option("--judge-model", help="A reader that looks for the outcome in the prompts: openai/…."),
    ] = None,
    limit: Annotated[
        int | None, typer.Option("--limit", min=1, help="So many tasks for the reader, evenly from all.")
    ] = None,
    json: AsJson = False,
) -> None:
    """Report what is wrong with a published benchmark: its rows, line numbers, designs, prompts, paths."""
    from assay.benchmarks import find_benchmark
    from assay.benchmarks.decidability import DecidabilitySource
    from assay.benchmarks.prompt_reading import PromptReadingSource
    from assay.errors import UsageError

    if decidable:
        benchmark = find_benchmark(suite)
        if not isinstance(benchmark, DecidabilitySource):
            raise UsageError(
                f"benchmark {suite!r} does not say what decides its items",
                hint="`assay suites` lists the benchmarks",
            )
        print_report(benchmark.decidability(source), as_json=json)
        return
    if judge_model is not None:
        benchmark = find_benchmark(suite)
        if not isinstance(benchmark, PromptReadingSource):
            raise UsageError(
                f"benchmark {suite!r} has no outcomes that a reader could look for in its prompts",
                hint="leave out --judge-model",
            )
        print_report(benchmark.read_prompts(source, judge_model, limit), as_json=json)
        return
    report = find_benchmark(suite).audit(source, lambda line: print(line, file=sys.stderr, flush=True))
    print_report(report, as_json=json)
