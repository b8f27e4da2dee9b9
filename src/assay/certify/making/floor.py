"""How far the numbers move when a function's outputs are moved by one part in ten million."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from assay.certify.making.bench import SEEN, Bench
from assay.certify.making.candidates import Candidate
from assay.certify.making.gold import Gold
from assay.certify.making.measures import read_numbers
from assay.certify.making.tracer import with_probe
from assay.errors import Unmaskable
from assay.sandbox import Outcome
from assay.tasks import DEFAULT, centre
from assay.tasks.metric import prediction_half_width

CHAOS = 1e-3
"""A number that moves by more than this share of itself hangs on the last digits, and cannot be graded."""


@dataclass(frozen=True)
class Floor:
    """What moving one function's outputs did."""

    moved: dict[str, float]
    """Metric → how far it moved beyond the noise."""
    floats: int = 0
    unknown: str | None = None
    """Why nothing is known of it, where that is so: its floor is then the smallest there is."""


async def measure_floor(
    bench: Bench, gold: Gold, candidates: Sequence[Candidate]
) -> tuple[dict[str, Floor], dict[str, str]]:
    """Function → its floor; and the candidates that would move a number too far, with the reason."""
    found = await asyncio.gather(*(_move(bench, gold, each) for each in candidates))
    floors: dict[str, Floor] = {}
    chaotic: dict[str, str] = {}
    for candidate, floor in zip(candidates, found, strict=True):
        shares = {name: _share(gold, name, move) for name, move in floor.moved.items()}
        worst = max(shares, key=lambda name: shares[name], default=None)
        if worst is not None and shares[worst] > CHAOS:
            chaotic[candidate.name] = (
                f"one part in 10⁷ of its output moves {worst!r} by {shares[worst]:.1%}: rounding decides"
            )
            continue
        floors[candidate.name] = floor
    return floors, chaotic


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
    floats = _moved_floats(outcome, candidate.name)
    if not floats:
        return Floor({}, unknown="no float of what it returns or changes could be moved")
    moved = {}
    for name, got in numbers.items():
        runs = gold.numbers[DEFAULT][name]
        # Of the distance, what the gold runs stray by themselves is no effect of the move.
        moved[name] = max(0.0, abs(got - centre(runs)) - prediction_half_width(runs))
    return Floor(moved, floats)


def _moved_floats(outcome: Outcome, name: str) -> int:
    left = [json.loads(data) for path, data in outcome.files.items() if path.startswith(f"{SEEN}/")]
    return sum(each["moved"].get(name, 0) for each in left)
