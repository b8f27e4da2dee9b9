"""How far a judge can be believed."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path

from assay.api.event_loop import outside_event_loop
from assay.benchmarks.base import BaseBenchmark
from assay.benchmarks.registry import all_benchmarks
from assay.grading.judge import Judge
from assay.grading.judge.calibration import Judged, Labelled, load_labelled, measure, spread_out
from assay.grading.reading.labelled_readings import LabelledReading
from assay.scoring.statistics.agreement import Calibration, calibrate


@outside_event_loop
def judge_eval(
    judge_model: str = "assay/scripted-judge",
    *,
    repeats: int = 3,
    limit: int | None = None,
    labelled: str | Path | None = None,
    readings: int = 300,
    on_plan: Callable[[int], None] | None = None,
    on_item: Callable[[Judged], None] | None = None,
) -> Calibration:
    """Put items whose verdict is known to a judge, and say how often it is right.

    `labelled` is a file of your own items. `readings` is how many texts for blind reading are added, evenly
    from those that the annotated benchmarks make. `on_plan` gets the number of items, `on_item` each verdict.
    """
    items = spread_out(load_labelled(Path(labelled)) if labelled else load_labelled(), limit)
    texts = spread_out(_labelled_readings(), readings) if readings else []
    if on_plan is not None:
        on_plan(len(items) + len(texts))
    judge = Judge(judge_model, repeats)
    return calibrate(asyncio.run(_measure(judge, items, texts, on_item)), judge.record)


async def _measure(
    judge: Judge,
    items: Sequence[Labelled],
    texts: Sequence[LabelledReading],
    on_item: Callable[[Judged], None] | None,
) -> list[Judged]:
    rows = await measure(judge, items, on_item)
    for text in texts:
        rows.append(await text.measure(judge))
        if on_item is not None:
            on_item(rows[-1])
    return rows


def _labelled_readings() -> list[LabelledReading]:
    annotated = [
        benchmark for benchmark in all_benchmarks(warn=lambda _: None) if isinstance(benchmark, BaseBenchmark)
    ]
    return [reading for benchmark in annotated for reading in benchmark.labelled_readings()]
