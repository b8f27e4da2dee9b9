"""A right answer in yet another form."""

from __future__ import annotations

from assay.agents.hands import Hands
from assay.agents.variants import offered

KINDS = ("experiment", "challenge")


async def act(hands: Hands) -> None:
    """Hand in the last unusual right answer that the task's author offers."""
    variants = list(offered(hands.task).values())
    for path, data in {**hands.task.gold_files, **(variants[-1] if variants else {})}.items():
        await hands.write(path, data)
