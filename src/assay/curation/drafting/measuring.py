"""Measures a drafted solution by running it: numbers, noise over seeds, and what each setting moves.

Every run is kept under the hash of its files and inputs, so that a stop loses only the run under way.
"""

from __future__ import annotations

import asyncio
import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from assay.curation.experiment_runner import ExperimentRunner
from assay.curation.running import read_run, write_run
from assay.curation.stage_files import hash_of
from assay.files import publish

SEEDS = (101, 2_003, 30_011, 400_009)
"""The first seeds beside the experiment's own: grading draws others."""
FIRST_SEEDS = range(len(SEEDS))
PLAIN_RUNS = 3
MOST_PROBES = 8


@dataclass(frozen=True)
class Measured:
    """The numbers of one run of the solution, by path; or why there are none."""

    numbers: dict[str, float]
    seconds: float
    problem: str | None = None


class SolutionMeasurer:
    """Runs a solution with seeds and settings."""

    def __init__(self, runner: ExperimentRunner, store: Path, report: Callable[[str], None]) -> None:
        self._runner = runner
        self._store = store
        self._report = report

    async def run(
        self,
        code: Mapping[str, bytes],
        *,
        seed: int | None = None,
        settings: Mapping[str, int | float] | None = None,
        repeat: int = 0,
        follow: bool = False,
    ) -> Measured:
        """Run the solution once, or read the kept run."""
        inputs = [dict(self._runner.files), dict(code), seed, settings, repeat, self._runner.seconds, follow]
        folder = self.folder(inputs)
        run = read_run(folder)
        if run is None:
            data = None
            if settings:
                data = self._store / f"settings-{hash_of(settings)[:12]}.json"
                publish(data, json.dumps(settings))
            run = await self._runner.run(
                "bash reproduce.sh",
                changes=code,
                variables={} if seed is None else {"ASSAY_SEED": str(seed)},
                data=data,
                follow=follow,
            )
            write_run(run, folder)
        if run.failure is not None:
            return Measured({}, run.seconds, f"{run.failure}: {run.message[-200:]}")
        try:
            table = json.loads(run.outputs.get("results.json", ""))
            numbers = {
                f"{row}.{column}": float(value) for row in table for column, value in table[row].items()
            }
        except (ValueError, TypeError, AttributeError):
            return Measured({}, run.seconds, "the solution wrote no results.json")
        return Measured(numbers, run.seconds)

    def folder(self, inputs: object) -> Path:
        """Where a run is kept."""
        return self._store / hash_of(inputs)[:20]

    async def repeats(
        self,
        code: Mapping[str, bytes],
        numbers: range,
        settings: Mapping[str, int | float] | None = None,
    ) -> list[Measured]:
        """Run the solution again as it is; a repeat of another number is another run."""
        runs = (self.run(code, repeat=number, settings=settings) for number in numbers)
        return list(await asyncio.gather(*runs))

    async def over_seeds(
        self,
        code: Mapping[str, bytes],
        numbers: range = FIRST_SEEDS,
        settings: Mapping[str, int | float] | None = None,
    ) -> list[Measured]:
        """Run the solution once with each of these seeds, which are counted from 0."""
        runs = (self.run(code, seed=seed_of(number), settings=settings) for number in numbers)
        return list(await asyncio.gather(*runs))


def seed_of(number: int) -> int:
    """Return one of as many seeds as are needed."""
    return SEEDS[number] if number < len(SEEDS) else 1_000_003 + 7_919 * number


def columns_of(runs: Sequence[Measured]) -> dict[str, list[float]]:
    """Return path → the numbers of all runs that gave them."""
    paths = runs[0].numbers if runs else {}
    good_runs = [run for run in runs if run.problem is None]
    return {path: [run.numbers[path] for run in good_runs if path in run.numbers] for path in paths}


def differ(first: Mapping[str, list[float]], second: Sequence[Measured]) -> bool:
    """Whether other runs gave another number anywhere."""
    return any(
        run.problem is None and any(run.numbers.get(path) not in values for path, values in first.items())
        for run in second
    )


def power_for(tolerances: Sequence[float]) -> int:
    """Return by which power of ten results must be multiplied, so that three decimals are precise enough."""
    smallest = min((value for value in tolerances if value > 0), default=1.0)
    return max(0, math.ceil(math.log10(0.0011 / smallest))) if smallest < 0.0011 else 0
