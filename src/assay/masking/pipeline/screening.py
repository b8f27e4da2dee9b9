"""Which mutants are worth a run of their own: all are tried at once on the calls of a single run."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from assay.masking.leaks.sources import Defined
from assay.masking.pipeline.bench import SEEN, Bench
from assay.masking.pipeline.mutants import Mutant
from assay.masking.pipeline.tracer import with_probe

SECONDS = 30.0
"""How long the mutants of one function may take on the calls of one run."""
Seen = Literal["differs", "again", "untried", "same", "raised"]
"""Again: it differs from the function just as another mutant does."""


@dataclass(frozen=True)
class Screened:
    """One mutant, and what it showed on the traced calls."""

    mutant: Mutant
    seen: Seen


async def screen(bench: Bench, defined: Defined, plain: str, made: Sequence[Mutant]) -> list[Screened]:
    """The mutants, those first that tell the most; where the run cannot be screened, all are untried.

    `plain` is the function itself, written as the mutants are: it must come out as the function does.
    """
    place = defined.place
    asked = {"seconds": SECONDS, "versions": {str(place): [plain, *(each.version for each in made)]}}
    changes = with_probe({place.file: bench.files[place.file]}, [place], "screen")
    changes[f"{SEEN}/given/versions.json"] = json.dumps(asked).encode()
    outcome = await bench.run(changes, probed=True, seconds=4 * bench.seconds + 2 * SECONDS)
    told: list[str | None] = [None] * (len(made) + 1)
    for path, data in sorted(outcome.files.items()):
        if path.startswith(f"{SEEN}/"):
            found = json.loads(data)["screened"].get(str(place), [])
            told = found if any(found) else told
    behaviours: set[str] = set()
    screened = []
    for mutant, said in zip(made, told[1:], strict=True):
        screened.append(Screened(mutant, _seen(said, behaviours)))
    order: tuple[Seen, ...] = ("differs", "again", "untried", "same", "raised")
    return sorted(screened, key=lambda each: order.index(each.seen))


def _seen(said: str | None, behaviours: set[str]) -> Seen:
    if said is None:
        return "untried"
    if said == "same" or said == "raised":
        return "same" if said == "same" else "raised"
    known = said in behaviours
    behaviours.add(said)
    return "again" if known else "differs"
