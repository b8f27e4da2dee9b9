"""Requirements: the verdict of a check that was run, and what can be said without one."""

from __future__ import annotations

from assay.rules.ruling import Ruling, met, unmet, unread

CHECK_SECONDS = 120
"""Processor time of a check."""
CHECK_WALL_SECONDS = 600.0
"""Time of a check on the clock: more, so that a busy machine breaks no check."""
SEEDS_FILE = "seeds.json"
"""outputs/: the seed that was drawn for each fresh variation, so that checks can look at these runs too."""


def item_of(requirement: str) -> str:
    """The name of a requirement's verdict."""
    return f"requirement.{requirement}"


def check_broke(returncode: int, stderr: bytes, *, timed_out: bool) -> bool:
    """Whether a check failed to decide.

    Python itself exits with 1 on an error, which must not be taken for a verdict.
    """
    crashed = b"Traceback (most recent call last)" in stderr
    return timed_out or crashed or returncode not in (0, 1)


def grade_check(requirement: str, returncode: int, evidence: str) -> Ruling:
    """The verdict of a check that decided."""
    return (met if returncode == 0 else unmet)(item_of(requirement), evidence)


def nothing_to_check(requirement: str, problem: str | None) -> Ruling:
    """The verdict where the plain run left no results to check."""
    return unmet(item_of(requirement), f"nothing to check: {problem}")


def nothing_handed_in(requirement: str) -> Ruling:
    """The verdict without a check where the agent changed no file."""
    return unmet(item_of(requirement), "nothing was handed in")


def needs_reader(requirement: str, undecided: str | None = None) -> Ruling:
    """Without a check, and where the solution's own files do not settle it, a judge must read.

    `undecided` is why the facts of the run do not settle it either.
    """
    reason = "it has no check" if undecided is None else f"the run does not decide it ({undecided})"
    return unread(item_of(requirement), reason)
