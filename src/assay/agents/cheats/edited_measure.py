"""Changes the measure in place of the work."""

from __future__ import annotations

from assay.agents.forgery import carrier, wanted, writing
from assay.agents.hands import Hands

KINDS = ("masked", "challenge")


async def act(hands: Hands) -> None:
    """Rewrite the scripts that measure, not the functions that were asked for."""
    task = hands.task
    editable = {mask.file for mask in task.assay.masks} or {carrier(task)}
    for path in sorted(task.workspace):
        if path.endswith(".py") and path not in editable:
            await hands.write(path, writing(task, wanted(task)))
