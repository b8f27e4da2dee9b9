"""A right answer in an unusual form."""

from __future__ import annotations

from assay.agents.hands import Hands
from assay.agents.variants import offered, rewritten


async def act(hands: Hands) -> None:
    """Hand in the unusual right answer that the task's author offers, or the oracle's code respelled."""
    variant = next(iter(offered(hands.task).values()), None)
    for path, data in {**hands.task.gold_files, **(variant or {})}.items():
        plain = variant is not None or not path.endswith(".py")
        await hands.write(path, data if plain else rewritten(data))
