"""Screens mutants: tries all of them on the calls of a single run, to find those worth their own run."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from assay.grading.verdict import Verdict
from assay.masking.leaks.sources import DefinedFunction
from assay.masking.pipeline.bench import PROBE_FOLDER, RepositoryRunner
from assay.masking.pipeline.mutants import Mutant
from assay.masking.pipeline.tracer import with_probe

SECONDS = 30.0
"""Time for the mutants of one function on the calls of one run."""
ScreenResult = Literal["differs", "again", "untried", "same", "raised"]
"""Again: it differs from the function in the same way as another mutant."""


@dataclass(frozen=True)
class Screened:
    """One mutant, and its result on the traced calls."""

    mutant: Mutant
    result: ScreenResult
    verdict: Verdict | None = None
    """The verdict that rejects it, if one run of the unit tests showed it already."""
    passes: bool = False
    """True if it passes all unit tests."""


async def screen(
    bench: RepositoryRunner, defined: DefinedFunction, plain: str, mutants: Sequence[Mutant]
) -> list[Screened]:
    """Return the mutants, the most informative first; if the run cannot be screened, all are untried.

    `plain` is the original function in the form of the mutants: it must behave like the function.
    """
    place = defined.place
    request = {
        "seconds": SECONDS,
        "versions": {str(place): [plain, *(variant.version for variant in mutants)]},
    }
    changes = with_probe({place.file: bench.files[place.file]}, [place], "screen")
    changes[f"{PROBE_FOLDER}/given/versions.json"] = json.dumps(request).encode()
    outcome = await bench.run(changes, use_probe=True, seconds=4 * bench.seconds + 2 * SECONDS)
    behaviours_by_mutant: list[str | None] = [None] * (len(mutants) + 1)
    for path, data in sorted(outcome.files.items()):
        if path.startswith(f"{PROBE_FOLDER}/"):
            reported = json.loads(data)["screened"].get(str(place), [])
            behaviours_by_mutant = reported if any(reported) else behaviours_by_mutant
    behaviours: set[str] = set()
    screened = []
    for mutant, behaviour in zip(mutants, behaviours_by_mutant[1:], strict=True):
        screened.append(Screened(mutant, _screen_result(behaviour, behaviours)))
    order: tuple[ScreenResult, ...] = ("differs", "again", "untried", "same", "raised")
    return sorted(screened, key=lambda screened_mutant: order.index(screened_mutant.result))


def _screen_result(behaviour: str | None, behaviours: set[str]) -> ScreenResult:
    if behaviour is None:
        return "untried"
    if behaviour == "same" or behaviour == "raised":
        return "same" if behaviour == "same" else "raised"
    is_known = behaviour in behaviours
    behaviours.add(behaviour)
    return "again" if is_known else "differs"
