"""Gold: what the untouched repository measures, again and again, and how far its numbers may stray."""

from __future__ import annotations

import asyncio
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from assay.errors import Unmaskable
from assay.grading.fresh import with_seed
from assay.masking.pipeline.bench import Bench, why_it_failed
from assay.masking.pipeline.measures import Wanted, decimal_unit, read_numbers, settle, thin_noisy
from assay.rules.numbers import prediction_half_width
from assay.sandbox import Outcome
from assay.tasks import DEFAULT, Metric, Run, Variation, centre

VARIED_RUNS = 3
TRIED_SEEDS = (12_347, 654_321)
"""Of those that grading draws from; a run that fails with one of them would fail honest work at grading."""
LEAST = 1e-7
"""Every number may stray by one part in ten million, as the functions' outputs may."""
FEW = 4
"""Every number may stray by this many epsilons of the precision in which the run computes."""
_MODULE = re.compile(r"No module named '([\w.]+)'")


@dataclass(frozen=True)
class Gold:
    """All that the gold runs gave."""

    run: Run
    metrics: list[Metric]
    """Without tolerances yet."""
    numbers: dict[str, dict[str, list[float]]]
    """Variation → metric → the numbers of repeated runs."""
    variations: list[Variation]
    units: dict[str, float]
    """Metric → the last digit that is printed of it."""
    seconds: float
    """The fastest plain run."""
    slowest: float
    useless: list[str] = field(default_factory=list)
    """Variations that changed no number, and so were left out."""
    drawn: list[dict[str, list[float]]] = field(default_factory=list)
    """Metric → numbers of repeated runs, for each seed that was tried of a fresh variation."""


async def measure_gold(
    bench: Bench,
    wanted: Sequence[Wanted],
    variations: Sequence[Variation],
    count: int,
    tell: Callable[[str], None],
) -> Gold:
    """Run the repository `count` times as it is, and three times for each variation."""
    tell(f"gold: running `{bench.command}` {count} times")
    collect = [each.file for each in wanted if each.file is not None][:1]
    first = await bench.run(collect=collect)
    _expect_success(first, bench)
    run, metrics = settle(wanted, bench.command, bench.seconds, first)
    more = await asyncio.gather(*(bench.run(collect=collect) for _ in range(count - 1)))
    outcomes = [first, *more]
    rows = [read_numbers(run, metrics, each) for each in outcomes]
    metrics = thin_noisy(metrics, rows)
    numbers = {DEFAULT: _columns(metrics, rows)}
    gold = Gold(run, metrics, numbers, [], *_measured(run, metrics, outcomes))
    for variation in variations:
        columns = await _varied(bench, gold, variation, tell)
        if columns is None:
            gold.useless.append(variation.name)
            continue
        gold.variations.append(variation)
        if variation.fresh:
            gold.drawn.extend(columns)
        else:
            numbers[variation.name] = columns[0]
    return gold


def _measured(
    run: Run, metrics: Sequence[Metric], outcomes: Sequence[Outcome]
) -> tuple[dict[str, float], float, float]:
    """The last printed digits, the fastest and the slowest run."""
    durations = [each.seconds for each in outcomes]
    units = {each.name: decimal_unit(run.printed, each, outcomes[0]) for each in metrics}
    return units, min(durations), max(durations)


async def _varied(
    bench: Bench, gold: Gold, variation: Variation, tell: Callable[[str], None]
) -> list[dict[str, list[float]]] | None:
    """The numbers of a variation, of two seeds where it is fresh; None where it fails or changes nothing."""
    ways = [with_seed(variation, seed) for seed in TRIED_SEEDS] if variation.fresh else [variation]
    tell(f"gold: running the variation {variation.name} {VARIED_RUNS * len(ways)} times")
    found = [await _vary(bench, gold.run, gold.metrics, each) for each in ways]
    columns = [each for each in found if each is not None]
    plain = gold.numbers[DEFAULT]
    if len(columns) < len(ways):
        tell(f"gold: the variation {variation.name} fails")
    elif all(set(each[name]) == set(plain[name]) for each in columns for name in plain):
        tell(f"gold: the variation {variation.name} changes no number")
    else:
        return columns
    return None


async def _vary(
    bench: Bench, run: Run, metrics: Sequence[Metric], variation: Variation
) -> dict[str, list[float]] | None:
    outcomes = await asyncio.gather(
        *(bench.run(variation=variation, collect=run.written) for _ in range(VARIED_RUNS))
    )
    try:
        return _columns(metrics, [read_numbers(run, metrics, each) for each in outcomes])
    except Unmaskable:
        return None


def _columns(metrics: Sequence[Metric], rows: Sequence[Mapping[str, float]]) -> dict[str, list[float]]:
    return {metric.name: [row[metric.name] for row in rows] for metric in metrics}


def _expect_success(outcome: Outcome, bench: Bench) -> None:
    problem = why_it_failed(outcome)
    if problem is None:
        return
    missing = _MODULE.search(outcome.stderr.decode(errors="replace"))
    if missing:
        raise Unmaskable(
            f"the run needs the module {missing.group(1)!r}, which is not in its environment "
            f"({', '.join(bench.requirements) or 'plain Python'})",
            hint=_where_it_might_be(missing.group(1).partition(".")[0], bench.files),
        )
    hint = "the command is run by bash in the repository's top folder: does it run there by hand?"
    if outcome.timed_out:
        hint = "--seconds gives a run more time"
    raise Unmaskable(f"`{bench.command}` {problem}", hint=hint)


def _where_it_might_be(module: str, files: Mapping[str, bytes]) -> str:
    for path in files:
        folder, found, _ = path.partition(f"/{module}/__init__.py")
        # A package inside another one is not the one that the run looks for: autograd/scipy is no scipy.
        if found and f"{folder}/__init__.py" not in files:
            return f'it is in the repository itself: --run "PYTHONPATH={folder} …"'
    return f"--requirements {module} (or the name of its package) puts it there"


def with_tolerances(gold: Gold, moves: Mapping[str, float], epsilon: float = 0.0) -> list[Metric]:
    """Each metric with its tolerance: the gold runs' own spread, or what one part in 10⁷ makes of it.

    `moves` says how far each number moved, at most, when the functions' outputs were perturbed; `epsilon` is
    the precision in which the run computes.
    """
    least = max(LEAST, FEW * epsilon)
    return [_with_tolerance(metric, gold, moves.get(metric.name, 0.0), least) for metric in gold.metrics]


def _with_tolerance(metric: Metric, gold: Gold, moved: float, share: float) -> Metric:
    needs: list[tuple[float, float]] = []
    for columns in (*gold.numbers.values(), *gold.drawn):
        runs = columns[metric.name]
        middle = centre(runs)
        spread = max(abs(each - middle) for each in runs) if math.isfinite(middle) else 0.0
        floor = max(2 * moved, 1.01 * gold.units[metric.name], share * abs(middle))
        needs.append((max(floor, prediction_half_width(runs), 2.05 * spread), abs(middle)))
    absolute = max(need for need, _ in needs)
    if all(size > 0 and math.isfinite(size) for _, size in needs):
        relative = max(need / size for need, size in needs)
        # Whichever of the two forms is the tighter one over all the runs.
        if max(relative * size / need for need, size in needs) <= max(absolute / need for need, _ in needs):
            # A number that is zero by chance at a drawn seed still has its last digits.
            least = share * min(size for _, size in needs) if gold.drawn else 0.0
            return metric.model_copy(update={"relative": relative, "absolute": least})
    return metric.model_copy(update={"absolute": absolute})
