"""For each challenge of a run, how many attempts tell two agents apart."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence

from assay.scoring.logs.attempts import Attempt
from assay.scoring.statistics.score_power import attempts_needed, shown_elsewhere
from assay.tasks import Task
from assay.tasks.metric import Strict

SPREADS = (0.1, 0.25, 0.5)
"""Assumed standard deviations of an agent's scores, as shares of the distance from baseline to reference."""
SHARE = 0.5
"""The difference to detect, as a share of that distance."""
FEWEST = 3
"""Scored attempts from which a spread is computed."""
NOISE_DEVIATIONS = 3
"""The noise that a task allows is meant to cover this many standard deviations of grading."""


class NeededAttempts(Strict):
    """How many attempts are enough at one spread."""

    spread: float
    """Standard deviation of an agent's scores over its attempts, as a share of the distance from baseline to
    reference."""
    attempts: int | None
    """Attempts of each agent; None where more than 1,000 would be needed."""


class ChallengePower(Strict):
    """What attempts at one challenge can show."""

    task: str
    """The challenge."""
    difference: float
    """The difference to detect, in units of the score: half the distance from baseline to reference."""
    noise: float
    """The noise of grading that the task allows; a third of it, one deviation, adds to the spread."""
    needed: list[NeededAttempts]
    """The attempts for a measured spread, or for several assumed ones."""
    elsewhere: float | None
    """The smallest difference that would also show on other hidden items; None where no earlier attempt has
    a standard error."""
    basis: str
    """Where the spread comes from."""


def challenge_powers(tasks: Sequence[Task], earlier: Sequence[Attempt]) -> list[ChallengePower]:
    """A row for each challenge that has a baseline and a reference."""
    rows = [_row(task, [run for run in earlier if run.task == task.id]) for task in tasks]
    return [row for row in rows if row is not None]


def _row(task: Task, runs: Sequence[Attempt]) -> ChallengePower | None:
    challenge = task.assay.challenge
    if challenge is None or challenge.baseline is None or challenge.reference is None:
        return None
    distance = abs(challenge.reference - challenge.baseline)
    scores = [run.score for run in runs if run.score is not None]
    errors = [run.standard_error for run in runs if run.standard_error is not None]
    is_known = len(scores) >= FEWEST
    spreads = (statistics.stdev(scores) / distance,) if is_known else SPREADS
    # A measured spread has the noise of grading in it already.
    noise = 0.0 if is_known else challenge.noise / NOISE_DEVIATIONS
    return ChallengePower(
        task=task.id,
        difference=SHARE * distance,
        noise=challenge.noise,
        needed=[
            NeededAttempts(
                spread=spread,
                attempts=attempts_needed(SHARE * distance, math.hypot(spread * distance, noise)),
            )
            for spread in spreads
        ],
        elsewhere=shown_elsewhere(statistics.median(errors)) if errors else None,
        basis=f"spread of {len(scores)} earlier attempts" if is_known else "assumed spreads",
    )
