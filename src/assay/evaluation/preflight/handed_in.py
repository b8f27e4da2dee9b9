"""Whether attempts wait for their grade because an earlier run was killed while it graded them."""

from __future__ import annotations

from collections.abc import Iterator

from assay.evaluation.pending_folder import pending_files
from assay.evaluation.preflight.checks import PreflightCheck
from assay.evaluation.running import Plan, Settings
from assay.files import place


def check_handed_in(planned: Plan, settings: Settings) -> Iterator[PreflightCheck]:
    """Say how many attempts are graded and not made, and which wait for another command."""
    if not pending_files(place(settings.logs)):
        return
    from assay.evaluation.pending_grading import check_pending

    waiting, foreign = check_pending(planned, settings)
    if waiting:
        message = f"attempts that were handed in before are graded and not made again: {len(waiting)}"
        yield PreflightCheck("handed in", "ok", message)
    for pending in foreign:
        key = pending.key
        message = (
            f"{pending.path} waits for its grade: {key.agent} with {key.model} at {key.task}; "
            "the command that made this attempt grades it"
        )
        yield PreflightCheck("handed in", "warning", message)
