"""How far a judge can be believed."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

from assay.api.event_loop import outside_event_loop
from assay.grading.judge import Judge
from assay.grading.judge.calibration import Judged, load_labelled, measure, spread_out
from assay.scoring.statistics.agreement import Calibration, calibrate


@outside_event_loop
def judge_eval(
    judge_model: str = "assay/scripted-judge",
    *,
    repeats: int = 3,
    limit: int | None = None,
    labelled: str | Path | None = None,
    on_plan: Callable[[int], None] | None = None,
    on_item: Callable[[Judged], None] | None = None,
) -> Calibration:
    """Put items whose verdict is known to a judge, and say how often it is right.

    `labelled` is a file of your own items. `on_plan` gets the number of items, `on_item` each verdict.
    """
    items = spread_out(load_labelled(Path(labelled)) if labelled else load_labelled(), limit)
    if on_plan is not None:
        on_plan(len(items))
    judge = Judge(judge_model, repeats)
    return calibrate(asyncio.run(measure(judge, items, on_item)), judge.record)
