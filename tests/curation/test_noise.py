"""The tolerance of curated numbers: honest attempts with other seeds pass, other experiments do not."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import pytest

from assay.curation.drafting.measuring import Measured, columns_of
from assay.curation.drafting.noise import FEWEST_RUNS, MOST_RUNS, confidence, run_until_stable, tolerances
from assay.tasks import Metric

DRAFTS = 30
ATTEMPTS = 20
Draw = Callable[[random.Random], float]
NORMAL: Draw = lambda source: source.gauss(0, 1)  # noqa: E731
UNIFORM: Draw = lambda source: source.uniform(-1, 1)  # noqa: E731
SKEWED: Draw = lambda source: source.lognormvariate(0, 0.3)  # noqa: E731
SHARE_OF_GAMES: Draw = lambda source: sum(source.random() < 0.8 for _ in range(50)) / 50  # noqa: E731


class MadeUpDraft(NamedTuple):
    """An experiment whose every run draws its numbers, with the gold runs and the tolerances of its task."""

    run: Callable[[], dict[str, float]]
    other_run: Callable[[], dict[str, float]]
    """With the setting that the hidden run changes, which makes the numbers twice as noisy."""
    metrics: list[Metric]
    gold: Mapping[str, Sequence[float]]
    other_gold: Mapping[str, Sequence[float]]

    def honest_passes(self) -> dict[str, bool]:
        """Number → whether an attempt with its own random numbers has it right in all three runs."""
        plain, other, fresh, solution = self.run(), self.other_run(), self.run(), self.run()
        return {
            metric.name: metric.agrees(self.gold[metric.name], plain[metric.name])
            and metric.agrees(self.other_gold[metric.name], other[metric.name])
            and metric.agrees([solution[metric.name]], fresh[metric.name])
            for metric in self.metrics
        }


def draw_draft(source: random.Random, numbers: int, spread: float, shape: Draw, moved: float) -> MadeUpDraft:
    """A draft whose hidden run moves every number by `moved` tolerances."""
    centres = {f"row{number}.error": source.uniform(-5, 5) * spread for number in range(numbers)}

    def run() -> dict[str, float]:
        return {path: center + spread * shape(source) for path, center in centres.items()}

    gold = _enough_runs(run)
    allowed = tolerances(gold, {})

    def other_run() -> dict[str, float]:
        return {
            path: center + moved * allowed[path] + 2 * spread * shape(source)
            for path, center in centres.items()
        }

    metrics = [
        Metric(name=path, path=path, absolute=allowed[path], confidence=confidence(numbers))
        for path in centres
    ]
    return MadeUpDraft(run, other_run, metrics, gold, _enough_runs(other_run))


def _enough_runs(run: Callable[[], dict[str, float]]) -> Mapping[str, Sequence[float]]:
    async def more(count: int) -> list[Measured]:
        return [Measured(run(), 1.0) for _ in range(count)]

    return columns_of(asyncio.run(run_until_stable([Measured(run(), 1.0)], more)))


@pytest.mark.parametrize(
    ("numbers", "spread", "shape", "share"),
    [
        (2, 0.001, NORMAL, 0.95),
        (8, 30.0, NORMAL, 0.95),
        (4, 0.001, UNIFORM, 0.95),
        (6, 1.0, SHARE_OF_GAMES, 0.95),
        (2, 30.0, SKEWED, 0.93),
    ],
    ids=["two normal", "many normal", "uniform", "share of games", "skewed"],
)
def test_honest_attempts_with_other_seeds_pass(
    numbers: int, spread: float, shape: Draw, share: float
) -> None:
    source = random.Random(f"{numbers} {spread}")
    passes = [
        draft.honest_passes()
        for draft in (draw_draft(source, numbers, spread, shape, 2.0) for _ in range(DRAFTS))
        for _ in range(ATTEMPTS)
    ]
    for path in passes[0]:
        assert sum(attempt[path] for attempt in passes) / len(passes) >= 0.95
    assert sum(all(attempt.values()) for attempt in passes) / len(passes) >= share


@pytest.mark.parametrize("numbers", [2, 6])
def test_the_known_numbers_of_the_paper_with_a_little_noise_fail_the_hidden_run(numbers: int) -> None:
    source = random.Random(numbers)
    for _ in range(DRAFTS):
        draft = draw_draft(source, numbers, 1.0, NORMAL, 3.0)
        constants = {path: runs[0] for path, runs in draft.gold.items()}
        for _ in range(ATTEMPTS):
            noisy = {path: value + source.gauss(0, 0.3) for path, value in constants.items()}
            assert all(metric.agrees(draft.gold[metric.name], noisy[metric.name]) for metric in draft.metrics)
            hidden = [
                metric.agrees(draft.other_gold[metric.name], noisy[metric.name]) for metric in draft.metrics
            ]
            assert not all(hidden)


def test_runs_end_when_tolerances_hold_still_and_never_go_on_for_ever() -> None:
    source = random.Random(1)
    counts = []
    for _ in range(DRAFTS):
        draft = draw_draft(source, 4, 1.0, NORMAL, 2.0)
        counts.append(len(next(iter(draft.gold.values()))))
    assert all(FEWEST_RUNS < count <= MOST_RUNS for count in counts)
    assert len(set(counts)) > 1


def test_long_runs_are_only_made_the_fewest_times() -> None:
    async def more(count: int) -> list[Measured]:
        return [Measured({"a.b": float(number)}, 3600.0) for number in range(count)]

    assert len(asyncio.run(run_until_stable([Measured({"a.b": 0.0}, 3600.0)], more))) == FEWEST_RUNS


def test_a_run_that_fails_ends_the_runs() -> None:
    async def more(count: int) -> list[Measured]:
        return [Measured({}, 1.0, "error: seed 5 is not allowed") for _ in range(count)]

    runs = asyncio.run(run_until_stable([Measured({"a.b": 0.0}, 1.0)], more))
    assert len(runs) == FEWEST_RUNS
    assert runs[-1].problem is not None
