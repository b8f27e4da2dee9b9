"""assay import: what a benchmark's own agents left, as folders that can be graded."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from assay.cli.options import AsJson, BenchmarkName, JudgeModel, JudgeRepeats, print_json


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("import")(import_outputs)


def import_outputs(
    benchmark: BenchmarkName,
    folder: Annotated[Path, typer.Argument(help="The outputs of the benchmark's own agents.")],
    out: Annotated[Path, typer.Option(help="A new folder for the hand-ins, one folder each.")],
    grade: Annotated[
        bool, typer.Option("--grade", help="Grade each one too, and compare with the published judge.")
    ] = False,
    judge_model: JudgeModel = None,
    judge_repeats: JudgeRepeats = None,
    json: AsJson = False,
) -> None:
    """Read the outputs of a benchmark's own agents into folders for `assay grade --submission`."""
    from assay.benchmarks.hand_ins import HandInSource
    from assay.benchmarks.registry import find_benchmark
    from assay.errors import UsageError

    source = find_benchmark(benchmark)
    if not isinstance(source, HandInSource):
        raise UsageError(f"benchmark {benchmark!r} has no outputs to import", hint="expbench has them")
    imported = source.import_hand_ins(folder, out)
    if not grade:
        lines, report = list(imported.lines()), imported.to_json()
    else:
        from assay.evaluation.judge_comparison import compare_hand_ins
        from assay.grading import GradingRules

        rules = GradingRules("default", judge_model, judge_repeats or 3)
        comparison = compare_hand_ins(imported, rules)
        lines, report = list(comparison.lines()), comparison.to_json()
    if json:
        print_json(report)
        return
    for line in lines:
        print(line)
