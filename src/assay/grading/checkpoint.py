"""A challenge's score on the way: what one submission was worth, and when it was handed in."""

from __future__ import annotations

from pydantic import Field

from assay.tasks.metric import Strict


class Checkpoint(Strict):
    """One submission that was scored before the attempt ended.

    A log keeps them in the score's metadata beside `grade`: `checkpoints` is their list, and
    `seconds_allowed` the time that the attempt had.
    """

    seconds: float = Field(ge=0)
    """Since the attempt began."""
    score: float | None = None
    """The challenge's raw metric; None where there is no number."""
    normalised: float | None = None
    """The same with the baseline at 0 and the reference at 1."""
    standard_error: float | None = None
    valid: bool = False
    """Whether it kept the challenge's rules."""
    submission: str = ""
    """SHA-256 of the archived submission."""
    note: str = ""
    """Why it is not valid, or what else there is to say."""
