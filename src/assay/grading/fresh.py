"""Runs that nobody could know: a seed drawn at grading, with gold made by running the solution under it.

Stored gold can leak, and the seeds of a public benchmark can be learned by heart. One seed is drawn for each
task and process, so that the solution is run once and not for every submission.
"""

from __future__ import annotations

import re
import secrets

from assay.errors import GradingError
from assay.grading.cleanroom import CleanRoom
from assay.tasks import Task, Variation, look_up
from assay.workspace import Submission

SEEDS = range(10_000, 1_000_000)
_PLACEHOLDER = re.compile(r"(?<!\$)\{seed\}")
"""What the drawn seed is put for; `${seed}` is left to the shell."""

_seeds: dict[tuple[str, str], int] = {}
_gold: dict[tuple[str, str], dict[str, list[float]]] = {}


def draw(task: Task, variation: Variation) -> Variation:
    """The variation with its seed, drawn now where it is to be fresh."""
    if not variation.fresh:
        return variation
    key = (task.digest, variation.name)
    return with_seed(variation, _seeds.setdefault(key, secrets.choice(SEEDS)))


def with_seed(variation: Variation, seed: int) -> Variation:
    """A fresh variation with a seed, given as ASSAY_SEED and put into its command where that asks for it."""
    command = variation.command
    if command is not None:
        command = _PLACEHOLDER.sub(str(seed), command)
    return variation.model_copy(update={"seed": seed, "fresh": False, "command": command})


async def fresh_gold(task: Task, drawn: Variation) -> dict[str, list[float]]:
    """The solution's own numbers under a drawn seed."""
    key = (task.digest, drawn.name)
    if key not in _gold:
        async with CleanRoom(task, Submission(task.gold_files)) as room:
            rerun = await room.rerun(drawn)
        if rerun.results is None:
            raise GradingError(f"the solution does not run with the drawn seed {drawn.seed}: {rerun.problem}")
        _gold[key] = {metric.name: [look_up(rerun.results, metric.path)] for metric in task.assay.metrics}
    return _gold[key]
