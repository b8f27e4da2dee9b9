"""Where submissions are kept: a folder beside the log that is being written."""

from __future__ import annotations

from pathlib import Path

SUBMISSIONS = "submissions"


def submissions_folder() -> Path:
    """The folder beside the log of the attempt that is going on."""
    from inspect_ai.log._samples import sample_active

    active = sample_active()
    location = active.log_location if active is not None else "."
    return Path(location.removeprefix("file://")).parent / SUBMISSIONS
