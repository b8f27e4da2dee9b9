"""Requirements, each proved by its check over re-made outputs; without one, by the judge."""

from __future__ import annotations

from pathlib import Path

from assay.errors import GradingError
from assay.grading.cleanroom import TRUTH, CleanRoom, tail
from assay.grading.verdict import UNREAD, Verdict
from assay.sandbox import run_confined
from assay.tasks import Requirement

CHECK_SECONDS = 60.0


async def grade_requirement(room: CleanRoom, requirement: Requirement) -> Verdict:
    """The verdict of one check; a check that breaks raises GradingError."""
    if requirement.check is None:
        return _unchecked(room, requirement)
    item = f"requirement.{requirement.id}"
    plain = await room.rerun()
    if plain.results is None:
        return Verdict(
            item=item, status="unmet", owner="agent", evidence=f"nothing to check: {plain.problem}"
        )
    folder = await _outputs(room)
    outcome = await run_confined(
        room.confine(folder, seconds=CHECK_SECONDS, truth=True),
        ["python", f"{TRUTH}/{requirement.check}"],
    )
    evidence = tail(outcome.stdout or outcome.stderr, 500) or "the check said nothing"
    # Python itself exits with 1 on an error, which must not be taken for a verdict.
    crashed = b"Traceback (most recent call last)" in outcome.stderr
    if outcome.timed_out or crashed or outcome.returncode not in (0, 1):
        raise GradingError(f"check {requirement.check} broke (exit {outcome.returncode}): {evidence}")
    if outcome.returncode == 0:
        return Verdict(item=item, status="met", evidence=evidence)
    return Verdict(item=item, status="unmet", owner="agent", evidence=evidence)


def _unchecked(room: CleanRoom, requirement: Requirement) -> Verdict:
    """The verdict where nothing can be run: the solution's own files, as they are, do what they do."""
    item = f"requirement.{requirement.id}"
    gold = {**room.task.workspace, **room.task.gold_files}
    if requirement.gold and all(room.files.get(path) == gold[path] for path in requirement.gold):
        evidence = f"the solution's own {', '.join(requirement.gold)}, unchanged"
        return Verdict(item=item, status="met", evidence=evidence)
    if not room.submission.files and not room.submission.deleted:
        return Verdict(item=item, status="unmet", owner="agent", evidence="nothing was handed in")
    return Verdict(
        item=item, status="unknown", owner="grader", evidence=f"it has no check, and {UNREAD}", by="judge"
    )


async def _outputs(room: CleanRoom) -> Path:
    folder = room.folder / "checks"
    if not folder.is_dir():
        stored = [each for each in room.task.assay.variations if not each.fresh]
        reruns = [await room.rerun(), *[await room.rerun(each) for each in stored]]
        parts = {f"outputs/{rerun.variation}": rerun.outputs for rerun in reruns}
        room.lay_beside("checks", {**parts, "submission": room.files})
    return folder
