"""How far the numbers move when a function's outputs are moved by one part in ten million.

Outputs of single precision and coarser are moved by two of their own epsilons.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from assay.errors import Unmaskable
from assay.masking.pipeline.bench import SEEN, Bench
from assay.masking.pipeline.candidates import Candidate
from assay.masking.pipeline.gold import Gold
from assay.masking.pipeline.injected.assay_tensor import PART
from assay.masking.pipeline.measures import read_numbers
from assay.masking.pipeline.tracer import with_probe
from assay.rules.numbers import prediction_half_width
from assay.sandbox import Outcome
from assay.tasks import DEFAULT, centre

CHAOS = 1e-3
"""A number that moves by more than this share of itself hangs on the last digits, and cannot be graded."""
COARSE = 4
"""A number may move by this many epsilons of a half precision, where that is more."""


@dataclass(frozen=True)
class Floor:
    """What moving one function's outputs did."""

    moved: dict[str, float]
    """Metric → how far it moved beyond the noise."""
    floats: int = 0
    epsilon: float = 0.0
    """The coarsest precision of what was moved: the distance from 1 to the next number."""
    exact: bool = False
    """Whether its outputs are whole numbers and words, in which nothing can be rounded."""
    unknown: str | None = None
    """Why nothing is known of it, where that is so: then no task may be made of it."""


async def measure_floor(
    bench: Bench, gold: Gold, candidates: Sequence[Candidate]
) -> tuple[dict[str, Floor], dict[str, str]]:
    """Function → its floor; and why others cannot be graded: rounding decides, or what it does is unknown."""
    found = await asyncio.gather(*(_move(bench, gold, each) for each in candidates))
    floors: dict[str, Floor] = {}
    refused: dict[str, str] = {}
    for candidate, floor in zip(candidates, found, strict=True):
        if floor.unknown is not None:
            refused[candidate.name] = f"what rounding in it does is unknown: {floor.unknown}"
            continue
        shares = {name: _share(gold, name, move) for name, move in floor.moved.items()}
        worst = max(shares, key=lambda name: shares[name], default=None)
        if worst is not None and shares[worst] > max(CHAOS, COARSE * floor.epsilon):
            refused[candidate.name] = (
                f"{in_parts(floor)} of its output moves {worst!r} by {shares[worst]:.1%}: rounding decides"
            )
            continue
        floors[candidate.name] = floor
    return floors, refused


def in_parts(floor: Floor) -> str:
    """How far the outputs were moved, in words."""
    return "one part in 10⁷" if 2 * floor.epsilon < PART else f"{2 * floor.epsilon:.1g}"


def precision(floors: Iterable[Floor], run: float) -> float:
    """The epsilon that tolerances must allow for: the run's, or a coarser one of what was moved."""
    return max(run, *(floor.epsilon for floor in floors), 0.0)


def furthest(floors: Iterable[Floor]) -> dict[str, float]:
    """Metric → how far it moved at most."""
    moves: dict[str, float] = {}
    for floor in floors:
        for name, move in floor.moved.items():
            moves[name] = max(moves.get(name, 0.0), move)
    return moves


def _share(gold: Gold, name: str, move: float) -> float:
    size = abs(centre(gold.numbers[DEFAULT][name]))
    return move / size if size else 0.0


async def _move(bench: Bench, gold: Gold, candidate: Candidate) -> Floor:
    place = candidate.defined.place
    probe = "perturb_all" if candidate.traced.changes_arguments else "perturb"
    changes = with_probe({place.file: bench.files[place.file]}, [place], probe)
    outcome = await bench.run(changes, probed=True, seconds=4 * bench.seconds, collect=gold.run.written)
    try:
        numbers = read_numbers(gold.run, gold.metrics, outcome)
    except Unmaskable:
        # What breaks when its floats are moved (an index, a key) has nothing to tell of rounding.
        return Floor({}, unknown="the run breaks when its outputs are moved")
    floats, exact, opaque, epsilon = _moved_floats(outcome, candidate.name)
    if not floats:
        if exact and not opaque:
            return Floor({}, exact=True)
        return Floor({}, unknown="no float of what it returns or changes could be moved")
    moved = {}
    for name, got in numbers.items():
        runs = gold.numbers[DEFAULT][name]
        # Of the distance, what the gold runs stray by themselves is no effect of the move.
        moved[name] = max(0.0, abs(got - centre(runs)) - prediction_half_width(runs))
    return Floor(moved, floats, epsilon)


def _moved_floats(outcome: Outcome, name: str) -> tuple[int, int, int, float]:
    """Of all calls in all processes: floats moved, exact values, others, the coarsest epsilon."""
    left = [json.loads(data) for path, data in outcome.files.items() if path.startswith(f"{SEEN}/")]
    rows = [each["moved"][name] for each in left if name in each["moved"]]
    counts = [sum(int(row[at]) for row in rows) for at in range(3)]
    return counts[0], counts[1], counts[2], max((float(row[3]) for row in rows), default=0.0)
