"""Whose doing it is that an attempt has no grade, read from the error that halted it."""

from __future__ import annotations

import re

from assay.grading.verdict import Grade, Owner

_INTERRUPTED = re.compile(r"^(CancelledError|Cancelled|KeyboardInterrupt)\b")

_OWNERS: list[tuple[Owner, re.Pattern[str]]] = [
    (
        "sandbox",
        re.compile(r"sandbox|bwrap|bubblewrap|docker|container|No space left|overlay", re.IGNORECASE),
    ),
    (
        "model",
        re.compile(
            r"RateLimit|rate.limit|APIError|APIConnection|APIStatus|APITimeout|AuthenticationError"
            r"|InternalServerError|ServiceUnavailable|OverloadedError|ModelUnavailable|PermissionDenied"
            r"|api[ _.]?key|httpx|quota|\b(401|403|429|5\d\d)\b|model (service|provider|API)"
            r"|openai|anthropic|local model",
            re.IGNORECASE,
        ),
    ),
    ("task", re.compile(r"TaskError|EnvironmentFailed|since its hand-in was recorded")),
]


def interrupted(message: str) -> bool:
    """Whether the attempt was stopped from outside before it ended."""
    return bool(_INTERRUPTED.match(message.strip()))


def owner_of_error(message: str) -> Owner:
    """The owner that the text of an error points to; the grader where it points nowhere."""
    return next((owner for owner, pattern in _OWNERS if pattern.search(message)), "grader")


def owner_of_grade(grade: Grade) -> Owner | None:
    """Who owns a grade that is not a pass: of the first unmet item, else of the first unknown one."""
    if grade.passed:
        return None
    if grade.caught_by is not None:
        return grade.caught_by.owner or "agent"
    unknown = (verdict.owner for verdict in grade.verdicts if verdict.status == "unknown")
    return next((owner for owner in unknown if owner), "grader")
