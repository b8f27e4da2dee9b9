"""The build and score of a challenge, made once for each workspace where a proof keeps them."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Sequence

from assay.grading.challenge import Scored, grade_challenge
from assay.grading.cleanroom import CleanRoom
from assay.grading.kept_results import kept_results, workspace_name
from assay.tasks import Challenge


async def grade_once(room: CleanRoom, challenge: Challenge) -> Scored:
    """Build and score, or take the result of the same workspace, if the run keeps results."""
    results = kept_results()
    if results.folder is None or challenge.build is None:
        return await grade_challenge(room, challenge)
    workspace = await asyncio.to_thread(workspace_name, room.task, room.submission)
    known = [Scored.model_validate_json(result) for result in results.read(workspace)]
    if known and _agree(known):
        return _seen_before(known[0])
    scored = await grade_challenge(room, challenge)
    if all(verdict.status != "unknown" for verdict in scored.verdicts):
        with contextlib.suppress(ValueError):  # evidence with half a character cannot be kept
            results.keep(workspace, scored.model_dump_json())
    return scored


def _agree(known: Sequence[Scored]) -> bool:
    outcomes = {tuple((verdict.item, verdict.status) for verdict in scored.verdicts) for scored in known}
    return len(outcomes) == 1


def _seen_before(scored: Scored) -> Scored:
    verdicts = [
        verdict.model_copy(update={"evidence": f"as for the same workspace before: {verdict.evidence}"})
        for verdict in scored.verdicts
    ]
    return scored.model_copy(update={"verdicts": verdicts})
