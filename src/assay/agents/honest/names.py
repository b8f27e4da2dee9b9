"""The oracle's code with other names."""

from __future__ import annotations

from assay.agents.hands import Hands
from assay.agents.variants import renamed


async def act(hands: Hands) -> None:
    """Hand in the right code with other names for all local variables, and no comments."""
    for path, data in hands.task.gold_files.items():
        await hands.write(path, renamed(data) if path.endswith(".py") else data)
