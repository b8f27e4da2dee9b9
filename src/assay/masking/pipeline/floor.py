"""Measures how far the results move when a function's outputs move by one part in ten million.

Outputs of single precision and coarser move by two of their own epsilons.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from assay.errors import Unmaskable
from assay.masking.pipeline.bench import PROBE_FOLDER, RepositoryRunner
from assay.masking.pipeline.candidates import MaskCandidate
from assay.masking.pipeline.gold import GoldRuns
from assay.masking.pipeline.injected.assay_tensor import PART
from assay.masking.pipeline.measures import read_numbers
from assay.masking.pipeline.tracer import with_probe
from assay.rules.numbers import prediction_half_width
from assay.sandbox import Outcome
from assay.tasks import DEFAULT, centre

MAX_SHARE = 1e-3
"""A number that moves by a larger share of itself depends on the last digits, and cannot be graded."""
MAX_EPSILONS = 4
"""A number may move by this many epsilons of a half precision, if that is more."""


@dataclass(frozen=True)
class Floor:
    """Effect of moving one function's outputs."""

    moved: dict[str, float]
    """Metric -> its move beyond the noise."""
    floats: int = 0
    epsilon: float = 0.0
    """Coarsest precision of the moved outputs: the distance from 1 to the next number."""
    exact: bool = False
    """True if its outputs are whole numbers and words, which have no rounding."""
    tests: bool = False
    """True if the numbers are passed tests, which have no tolerance."""
    unknown: str | None = None
    """Why the effect is unknown, if it is: then no task may mask the function."""


async def measure_floor(
    bench: RepositoryRunner, gold: GoldRuns, candidates: Sequence[MaskCandidate]
) -> dict[str, Floor]:
    """Return the floor of each function."""
    measured = await asyncio.gather(*(_move(bench, gold, mask_candidate) for mask_candidate in candidates))
    return {candidate.name: floor for candidate, floor in zip(candidates, measured, strict=True)}


def refuse_ungradable(gold: GoldRuns, floors: Mapping[str, Floor]) -> dict[str, str]:
    """Return why functions cannot be graded: rounding in them decides, or its effect is unknown."""
    refused: dict[str, str] = {}
    for name, floor in floors.items():
        if floor.unknown is not None:
            refused[name] = f"what rounding in it does is unknown: {floor.unknown}"
            continue
        shares = {metric: _share(gold, metric, move) for metric, move in floor.moved.items()}
        worst = max(shares, key=lambda metric: shares[metric], default=None)
        if worst is not None and shares[worst] > max(MAX_SHARE, MAX_EPSILONS * floor.epsilon):
            refused[name] = (
                f"{describe_move(floor)} of its output moves {worst!r} by {shares[worst]:.1%}: "
                "rounding decides"
            )
    return refused


def describe_move(floor: Floor) -> str:
    """Describe how far the outputs moved."""
    return "one part in 10⁷" if 2 * floor.epsilon < PART else f"{2 * floor.epsilon:.1g}"


def precision(floors: Iterable[Floor], run: float) -> float:
    """Return the epsilon that tolerances must allow: the run's, or a coarser one of the moved outputs."""
    return max(run, *(floor.epsilon for floor in floors), 0.0)


def largest_moves(floors: Iterable[Floor]) -> dict[str, float]:
    """Map each metric to its largest move."""
    moves: dict[str, float] = {}
    for floor in floors:
        for name, move in floor.moved.items():
            moves[name] = max(moves.get(name, 0.0), move)
    return moves


def _share(gold: GoldRuns, name: str, move: float) -> float:
    size = abs(centre(gold.numbers[DEFAULT][name]))
    return move / size if size else 0.0


async def _move(bench: RepositoryRunner, gold: GoldRuns, candidate: MaskCandidate) -> Floor:
    place = candidate.defined.place
    probe = "perturb_all" if candidate.traced.changes_arguments else "perturb"
    changes = with_probe({place.file: bench.files[place.file]}, [place], probe)
    outcome = await bench.run(changes, use_probe=True, seconds=4 * bench.seconds, collect=gold.run.written)
    try:
        numbers = read_numbers(gold.run, gold.metrics, outcome)
    except Unmaskable:
        # A failure after moved floats (an index, a key) says nothing about rounding.
        return Floor({}, unknown="the run breaks when its outputs are moved")
    floats, exact, opaque, epsilon = _moved_floats(outcome, candidate.name)
    if not floats:
        if exact and not opaque:
            return Floor({}, exact=True)
        return Floor({}, unknown="no float of what it returns or changes could be moved")
    moved = {}
    for name, number in numbers.items():
        runs = gold.numbers[DEFAULT][name]
        # The spread of the gold runs is no effect of the move.
        moved[name] = max(0.0, abs(number - centre(runs)) - prediction_half_width(runs))
    return Floor(moved, floats, epsilon)


def _moved_floats(outcome: Outcome, name: str) -> tuple[int, int, int, float]:
    """Count over all processes: moved floats, exact values, other values; and the coarsest epsilon."""
    records = [
        json.loads(data) for path, data in outcome.files.items() if path.startswith(f"{PROBE_FOLDER}/")
    ]
    rows = [record["moved"][name] for record in records if name in record["moved"]]
    counts = [sum(int(row[position]) for row in rows) for position in range(3)]
    return counts[0], counts[1], counts[2], max((float(row[3]) for row in rows), default=0.0)
