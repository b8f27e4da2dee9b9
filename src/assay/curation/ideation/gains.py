"""What proposals gain over the baseline, measured with known seeds before the task is made."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping, Sequence
from contextlib import nullcontext, suppress
from typing import NamedTuple

from assay.curation.drafting.measuring import SEEDS, Measured, SolutionMeasurer
from assay.curation.drafting.model import DraftMetric, TaskDraft
from assay.curation.ideation.definitions import CannotBeTaken

Sign = int
"""1 if a higher number is better, -1 if a lower one is."""
TRIED_SEEDS = SEEDS[:3]
_LOWER = re.compile(
    r"error|loss|rmse|\bmse\b|\bmae\b|bias|variance|regret|\btime\b|runtime|seconds|difference|\bgap\b|distance|risk"
    r"|perplexity|deviation|cost|divergence|residual|false|excess|\bkl\b|brier|\bece\b",
    re.IGNORECASE,
)
_HIGHER = re.compile(
    r"accura|score|\bf1\b|\bauc\b|precision|recall|power|reward|return|correlation|\br2\b|\bgain|similarity"
    r"|success|coverage|quality|throughput|speedup",
    re.IGNORECASE,
)


class MeasuredGain(NamedTuple):
    """The number of the table that the task is about, and the gains of each proposal in it."""

    metric: DraftMetric
    sign: Sign
    baseline: float
    gains: dict[str, list[float]]
    """Proposal → its gain with each seed; proposals of cheats that do not run have none."""


def direction(metric: DraftMetric, caption: str) -> Sign | None:
    """Return which numbers are better, by words of the column, the row or the caption; None if unclear."""
    for text in (metric.column_label, metric.row_label, caption):
        lower, higher = bool(_LOWER.search(text)), bool(_HIGHER.search(text))
        if lower != higher:
            return -1 if lower else 1
    return None


async def measure_gains(
    draft: TaskDraft,
    code: Mapping[str, bytes],
    proposals: Mapping[str, str],
    measurer: SolutionMeasurer,
    named: bool,
) -> MeasuredGain:
    """Run the baseline and all proposals with every seed.

    `named` means that a person has named the method, so what it changes is better.
    """
    baseline = await _runs(code, proposals["baseline"], measurer)
    method = await _runs(code, proposals["p1"], measurer)
    metric, sign = _choose(draft, baseline, method, named)
    gains = {"p1": _gains(method, baseline, metric.path, sign)}
    for name in sorted(proposals.keys() - {"baseline", "p1"}):
        # A proposal of the oracle must run; one of a cheat may fail.
        with suppress(CannotBeTaken) if "/" in name else nullcontext():
            runs = await _runs(code, proposals[name], measurer)
            gains[name] = _gains(runs, baseline, metric.path, sign)
    center = sum(run.numbers[metric.path] for run in baseline) / len(baseline)
    return MeasuredGain(metric, sign, center, gains)


async def _runs(code: Mapping[str, bytes], proposal: str, measurer: SolutionMeasurer) -> list[Measured]:
    files = {**code, "proposal.py": proposal.encode()}
    runs = list(await asyncio.gather(*(measurer.run(files, seed=seed) for seed in TRIED_SEEDS)))
    for run in runs:
        if run.problem is not None:
            raise CannotBeTaken(f"the experiment does not run with a proposal: {run.problem[-160:]}")
    return runs


def _gains(runs: Sequence[Measured], baseline: Sequence[Measured], path: str, sign: Sign) -> list[float]:
    return [
        sign * (run.numbers[path] - start.numbers[path]) for run, start in zip(runs, baseline, strict=True)
    ]


def _choose(
    draft: TaskDraft, baseline: Sequence[Measured], method: Sequence[Measured], named: bool
) -> tuple[DraftMetric, Sign]:
    """Choose the number that the method improves most, relative to the baseline, with every seed."""
    best: tuple[float, DraftMetric, Sign] | None = None
    for metric in draft.metrics:
        changes = _gains(method, baseline, metric.path, 1)
        if not any(changes):
            continue
        sign = direction(metric, draft.title.value)
        if sign is None and named:
            sign = 1 if sum(changes) > 0 else -1
        if sign is None or not all(sign * change > 0 for change in changes):
            continue
        size = sum(abs(run.numbers[metric.path]) for run in baseline) or 1.0
        relative = sum(map(abs, changes)) / size
        if best is None or relative > best[0]:
            best = (relative, metric, sign)
    if best is None:
        raise CannotBeTaken("the method improves no number of the table with every seed")
    return best[1], best[2]
