"""How far the numbers of an experiment move over seeds: the runs that show it, and the tolerances.

Grading compares two draws: the run of an agent that draws other random numbers, and the mean of the gold runs
or one run of the solution. The tolerance is an interval for the difference of two single draws, so wide that
one attempt rarely fails at any of its numbers by chance.

What it does not cover: numbers of which a few runs in a hundred lie far away. Runs seldom show them.
"""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable, Mapping, Sequence

from assay.curation.drafting.measuring import Measured, columns_of
from assay.rules.numbers import difference_half_width
from assay.tasks import centre

FEWEST_RUNS = 10
MORE_RUNS = 10
MOST_RUNS = 40
MOST_SECONDS = 1_200.0
"""Duration of all runs together beyond which no more than the fewest are made."""
STABLE = 0.2
"""The runs are enough if the last few change no tolerance by more than this share."""
CHANCE = 0.05
"""How often an honest attempt may fail at any number by chance."""

Tolerances = Mapping[str, float]


def confidence(numbers: int) -> float:
    """Return the confidence for one number, so that all numbers of both hidden runs hold together."""
    return 1 - CHANCE / (2 * max(1, numbers))


def tolerance(values: Sequence[float], numbers: int = 1, unit: float = 0.0) -> float:
    """Return the tolerance of one of so many numbers: its noise, or half of its last printed digit."""
    runs = list(values)
    center = centre(runs)
    farthest = max((abs(value - center) for value in runs), default=0.0)
    noise = difference_half_width(runs, confidence(numbers))
    needs = max(noise, 2.05 * farthest, 0.5 * unit, 1e-9 * abs(center))
    return needs if math.isfinite(needs) else 0.0


def tolerances(columns: Mapping[str, Sequence[float]], units: Mapping[str, float]) -> dict[str, float]:
    """Return path → tolerance; `units` are those of the last printed digits, where runs show no noise."""
    return {path: tolerance(values, len(columns), units.get(path, 0.0)) for path, values in columns.items()}


async def run_until_stable(
    runs: Sequence[Measured], run_more: Callable[[int], Awaitable[Sequence[Measured]]]
) -> list[Measured]:
    """Add runs until more of them hardly change a tolerance; `run_more` makes so many.

    They end with a run that fails, and where too many or too long ones were needed.
    """
    runs = [*runs, *await run_more(FEWEST_RUNS - len(runs))]
    while _may_go_on(runs):
        before = tolerances(columns_of(runs), {})
        runs = [*runs, *await run_more(MORE_RUNS)]
        after = tolerances(columns_of(runs), {})
        if all(abs(after[path] - before[path]) <= STABLE * before[path] for path in before):
            break
    return runs


def _may_go_on(runs: Sequence[Measured]) -> bool:
    is_complete = all(run.problem is None for run in runs)
    return is_complete and len(runs) < MOST_RUNS and sum(run.seconds for run in runs) < MOST_SECONDS
