"""How far the numbers move when a function's outputs are moved by one part in ten million."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from assay.certify.making.bench import Bench
from assay.certify.making.candidates import Candidate
from assay.certify.making.gold import Gold
from assay.certify.making.measures import read_numbers
from assay.certify.making.tracer import with_probe
from assay.errors import Unmaskable
from assay.tasks import DEFAULT, centre
from assay.tasks.metric import prediction_half_width

CHAOS = 1e-3
"""A number that moves by more than this share of itself hangs on the last digits, and cannot be graded."""


async def measure_floor(
    bench: Bench, gold: Gold, candidates: Sequence[Candidate]
) -> tuple[dict[str, float], dict[str, str]]:
    """Metric → how far it moved at most; and the candidates that would move one too far, with the reason."""
    moves = await asyncio.gather(*(_move(bench, gold, each) for each in candidates))
    floors: dict[str, float] = {}
    chaotic: dict[str, str] = {}
    for candidate, moved in zip(candidates, moves, strict=True):
        shares = {name: _share(gold, name, move) for name, move in moved.items()}
        worst = max(shares, key=lambda name: shares[name], default=None)
        if worst is not None and shares[worst] > CHAOS:
            chaotic[candidate.name] = (
                f"one part in 10⁷ of its output moves {worst!r} by {shares[worst]:.1%}: rounding decides"
            )
            continue
        for name, move in moved.items():
            floors[name] = max(floors.get(name, 0.0), move)
    return floors, chaotic


def _share(gold: Gold, name: str, move: float) -> float:
    size = abs(centre(gold.numbers[DEFAULT][name]))
    return move / size if size else 0.0


async def _move(bench: Bench, gold: Gold, candidate: Candidate) -> dict[str, float]:
    place = candidate.defined.place
    changes = with_probe({place.file: bench.files[place.file]}, [place], "perturb")
    outcome = await bench.run(changes, probed=True, collect=gold.run.written)
    try:
        numbers = read_numbers(gold.run, gold.metrics, outcome)
    except Unmaskable:
        # What breaks when its floats are moved (an index, a key) has nothing to tell of rounding.
        return {}
    moved = {}
    for name, got in numbers.items():
        runs = gold.numbers[DEFAULT][name]
        # Of the distance, what the gold runs stray by themselves is no effect of the move.
        moved[name] = max(0.0, abs(got - centre(runs)) - prediction_half_width(runs))
    return moved
