"""Inputs of a challenge that are drawn at grading, so that nobody can know them before.

A program of the task gets a new seed and writes new files: training data for the build, hidden data for the
evaluator. Whoever knows the program still does not know the seed. What it writes to inputs/NAME/ takes the
place of an input: the build and the evaluator no longer see the one that the agent had.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar

from assay.errors import DrawingError
from assay.grading.cleanroom import TRUTH, CleanRoom
from assay.grading.run_outputs import tail
from assay.rules.challenge import WALL_FACTOR
from assay.sandbox import run_confined
from assay.tasks.files import write_tree

SEED_BITS = 128
"""So many that nobody can find the seed by trying all of them on the files that it made."""
WORKSPACE_PREFIX, TRUTH_PREFIX, INPUTS_PREFIX = "workspace/", "truth/", "inputs/"

_common_seed: ContextVar[int | None] = ContextVar("assay_common_seed", default=None)


@contextmanager
def same_inputs() -> Iterator[None]:
    """All challenges that are graded in this block get the same inputs.

    What an attempt left at several times is one attempt: a program that fails on inputs which it does not
    like must not get others.
    """
    token = _common_seed.set(secrets.randbits(SEED_BITS))
    try:
        yield
    finally:
        _common_seed.reset(token)


async def draw_inputs(room: CleanRoom, program: str, seconds: float) -> None:
    """Put newly drawn files into the workspace and beside the evaluator."""
    common = _common_seed.get()
    seed = secrets.randbits(SEED_BITS) if common is None else common
    outcome = await run_confined(
        room.confine(
            room.lay_beside("drawing", {".": {}}),
            seconds=WALL_FACTOR * seconds,  # the program is the task's own: a busy machine may hold it up
            truth=True,
            variables={"ASSAY_SEED": str(seed)},
        ),
        ["python", f"{TRUTH}/{program}"],
        collect=[f"{prefix}**" for prefix in (WORKSPACE_PREFIX, TRUTH_PREFIX, INPUTS_PREFIX)],
    )
    if outcome.timed_out or outcome.returncode != 0 or outcome.refused:
        reason = tail(outcome.stderr) or ", ".join(outcome.refused)
        raise DrawingError(f"{program} exited with {outcome.returncode} for seed {seed}: {reason}")
    room.replace_given(_below(outcome.files, WORKSPACE_PREFIX))
    write_tree(_below(outcome.files, TRUTH_PREFIX), room.truth)
    _replace_inputs(room, program, _below(outcome.files, INPUTS_PREFIX))


def _replace_inputs(room: CleanRoom, program: str, files: Mapping[str, bytes]) -> None:
    names = {path.partition("/")[0] for path in files}
    unknown = names - {given.name for given in room.task.assay.inputs if not given.held}
    if unknown:
        raise DrawingError(f"{program} wrote inputs/{min(unknown)}/, but the task has no such input")
    for name in names:
        room.replace_input(name, _below(files, f"{name}/"))


def _below(files: Mapping[str, bytes], prefix: str) -> dict[str, bytes]:
    return {path.removeprefix(prefix): data for path, data in files.items() if path.startswith(prefix)}
