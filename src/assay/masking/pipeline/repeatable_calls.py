"""Finds the functions whose calls grading can repeat with other inputs, where the run is unit tests."""

from __future__ import annotations

from collections.abc import Sequence

from assay.masking.pipeline.bench import RepositoryRunner
from assay.masking.pipeline.candidates import MaskCandidate
from assay.rules.fresh_calls import ENOUGH_CHANGED, WALL_SECONDS, choose, preparation


async def refuse_unrepeatable(
    bench: RepositoryRunner, candidates: Sequence[MaskCandidate], seed: int
) -> dict[str, str]:
    """Map each function of which grading could not prove that it computes to the reason."""
    step = preparation([candidate.defined.place for candidate in candidates], bench.command, seed)
    outcome = await bench.run(
        step.files, other_command=step.command, collect=step.collected, seconds=WALL_SECONDS
    )
    names = [candidate.name for candidate in candidates]
    fresh = choose(outcome.files, names, ENOUGH_CHANGED)
    return {
        name: f"its calls cannot be repeated with other inputs: {problem}"
        for name, problem in fresh.problems.items()
    }
