"""Gold: the results of repeated runs of the original repository, and their tolerances."""

from __future__ import annotations

import asyncio
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from assay.errors import Unmaskable
from assay.grading.fresh import with_seed
from assay.masking.pipeline.bench import RepositoryRunner, failure_reason
from assay.masking.pipeline.measures import (
    MetricRequest,
    choose_metrics,
    decimal_unit,
    read_numbers,
    thin_noisy,
)
from assay.rules.numbers import prediction_half_width
from assay.sandbox import Outcome
from assay.tasks import DEFAULT, Metric, Run, Variation, centre

VARIED_RUNS = 3
TRIED_SEEDS = (12_347, 654_321)
"""Seeds that grading may draw; a run that fails with one of them would fail honest work at grading."""
MIN_TOLERANCE = 1e-7
"""Every number may differ by one part in ten million, as the functions' outputs may."""
TOLERANCE_EPSILONS = 4
"""Every number may differ by this many epsilons of the run's precision."""
_MODULE = re.compile(r"No module named '([\w.]+)'")


@dataclass(frozen=True)
class GoldRuns:
    """The results of all gold runs."""

    run: Run
    metrics: list[Metric]
    """Without tolerances yet."""
    numbers: dict[str, dict[str, list[float]]]
    """Variation -> metric -> numbers of repeated runs."""
    variations: list[Variation]
    units: dict[str, float]
    """Metric -> unit of its last printed digit."""
    seconds: float
    """The fastest plain run."""
    slowest: float
    useless: list[str] = field(default_factory=list)
    """Variations that changed no number, and so are omitted."""
    drawn: list[dict[str, list[float]]] = field(default_factory=list)
    """For each tried seed of a fresh variation: metric -> numbers of repeated runs."""


async def measure_gold(
    bench: RepositoryRunner,
    metric_requests: Sequence[MetricRequest],
    variations: Sequence[Variation],
    count: int,
    report: Callable[[str], None],
) -> GoldRuns:
    """Run the repository `count` times unchanged, and three times for each variation."""
    report(f"gold: running `{bench.command}` {count} times")
    collect = [request.file for request in metric_requests if request.file is not None][:1]
    first = await bench.run(collect=collect)
    _raise_if_failed(first, bench)
    run, metrics = choose_metrics(metric_requests, bench.command, bench.seconds, first)
    other_outcomes = await asyncio.gather(*(bench.run(collect=collect) for _ in range(count - 1)))
    outcomes = [first, *other_outcomes]
    rows = [read_numbers(run, metrics, outcome) for outcome in outcomes]
    metrics = thin_noisy(metrics, rows)
    numbers = {DEFAULT: _columns(metrics, rows)}
    gold = GoldRuns(run, metrics, numbers, [], *_units_and_durations(run, metrics, outcomes))
    for variation in variations:
        columns = await _variation_numbers(bench, gold, variation, report)
        if columns is None:
            gold.useless.append(variation.name)
            continue
        gold.variations.append(variation)
        if variation.fresh:
            gold.drawn.extend(columns)
        else:
            numbers[variation.name] = columns[0]
    return gold


def _units_and_durations(
    run: Run, metrics: Sequence[Metric], outcomes: Sequence[Outcome]
) -> tuple[dict[str, float], float, float]:
    """Return the last printed digits, and the durations of the fastest and the slowest run."""
    durations = [outcome.seconds for outcome in outcomes]
    units = {metric.name: decimal_unit(run.printed, metric, outcomes[0]) for metric in metrics}
    return units, min(durations), max(durations)


async def _variation_numbers(
    bench: RepositoryRunner, gold: GoldRuns, variation: Variation, report: Callable[[str], None]
) -> list[dict[str, list[float]]] | None:
    """Return a variation's numbers (of two seeds if it is fresh); None if it fails or changes nothing."""
    tried_variations = seeded_variations(variation)
    report(f"gold: running the variation {variation.name} {VARIED_RUNS * len(tried_variations)} times")
    results = [await _run_variation(bench, gold.run, gold.metrics, seeded) for seeded in tried_variations]
    columns = [result for result in results if result is not None]
    plain = gold.numbers[DEFAULT]
    if len(columns) < len(tried_variations):
        report(f"gold: the variation {variation.name} fails")
    elif all(set(column[name]) == set(plain[name]) for column in columns for name in plain):
        report(f"gold: the variation {variation.name} changes no number")
    else:
        return columns
    return None


def seeded_variations(variation: Variation) -> list[Variation]:
    """Return a variation as it is run here: with each of two seeds if grading draws its seed."""
    return [with_seed(variation, seed) for seed in TRIED_SEEDS] if variation.fresh else [variation]


async def _run_variation(
    bench: RepositoryRunner, run: Run, metrics: Sequence[Metric], variation: Variation
) -> dict[str, list[float]] | None:
    outcomes = await asyncio.gather(
        *(bench.run(variation=variation, collect=run.written) for _ in range(VARIED_RUNS))
    )
    try:
        return _columns(metrics, [read_numbers(run, metrics, outcome) for outcome in outcomes])
    except Unmaskable:
        return None


async def problem_of_run(bench: RepositoryRunner, gold: GoldRuns) -> str | None:
    """Return how a run with changed files differs from gold, or None."""
    outcome = await bench.run(collect=gold.run.written)
    if (failure := failure_reason(outcome)) is not None:
        return failure
    try:
        numbers = read_numbers(gold.run, gold.metrics, outcome)
    except Unmaskable as error:
        return error.message
    plain = gold.numbers[DEFAULT]
    steady = [name for name, runs in plain.items() if len(set(runs)) == 1 and runs[0] == runs[0]]
    changed = next((name for name in steady if numbers[name] != plain[name][0]), None)
    return None if changed is None else f"changes {changed!r}"


def _columns(metrics: Sequence[Metric], rows: Sequence[Mapping[str, float]]) -> dict[str, list[float]]:
    return {metric.name: [row[metric.name] for row in rows] for metric in metrics}


def _raise_if_failed(outcome: Outcome, bench: RepositoryRunner) -> None:
    problem = failure_reason(outcome)
    if problem is None:
        return
    missing = _MODULE.search(outcome.stderr.decode(errors="replace"))
    if missing:
        raise Unmaskable(
            f"the run needs the module {missing.group(1)!r}, which is not in its environment "
            f"({', '.join(bench.requirements) or 'plain Python'})",
            hint=_module_hint(missing.group(1).partition(".")[0], bench.files),
        )
    hint = "the command is run by bash in the repository's top folder: does it run there by hand?"
    if outcome.timed_out:
        hint = "--seconds gives a run more time"
    raise Unmaskable(f"`{bench.command}` {problem}", hint=hint)


def _module_hint(module: str, files: Mapping[str, bytes]) -> str:
    for path in files:
        folder, match, _ = path.partition(f"/{module}/__init__.py")
        # A package inside another package is not the one that the run needs: autograd/scipy is no scipy.
        if match and f"{folder}/__init__.py" not in files:
            return f'it is in the repository itself: --run "PYTHONPATH={folder} …"'
    return f"--requirements {module} (or the name of its package) puts it there"


def with_tolerances(gold: GoldRuns, moves: Mapping[str, float], epsilon: float = 0.0) -> list[Metric]:
    """Return each metric with its tolerance: the spread of the gold runs, or the effect of one part in 10⁷.

    `moves` is the largest move of each number when the functions' outputs are perturbed; `epsilon` is the
    precision of the run.
    """
    share = max(MIN_TOLERANCE, TOLERANCE_EPSILONS * epsilon)
    return [_with_tolerance(metric, gold, moves.get(metric.name, 0.0), share) for metric in gold.metrics]


def _with_tolerance(metric: Metric, gold: GoldRuns, moved: float, share: float) -> Metric:
    needs: list[tuple[float, float]] = []
    for columns in (*gold.numbers.values(), *gold.drawn):
        runs = columns[metric.name]
        center = centre(runs)
        spread = max(abs(run - center) for run in runs) if math.isfinite(center) else 0.0
        floor = max(2 * moved, 1.01 * gold.units[metric.name], share * abs(center))
        needs.append((max(floor, prediction_half_width(runs), 2.05 * spread), abs(center)))
    absolute = max(need for need, _ in needs)
    if all(size > 0 and math.isfinite(size) for _, size in needs):
        relative = max(need / size for need, size in needs)
        # The tighter of the two forms over all runs.
        if max(relative * size / need for need, size in needs) <= max(absolute / need for need, _ in needs):
            # A number that is zero by chance at a drawn seed still needs an absolute tolerance.
            absolute_floor = share * min(size for _, size in needs) if gold.drawn else 0.0
            return metric.model_copy(update={"relative": relative, "absolute": absolute_floor})
    return metric.model_copy(update={"absolute": absolute})
