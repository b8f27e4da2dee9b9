"""A server that remembers what it answered."""

from __future__ import annotations

from assay.agents.hands import Hands
from assay.agents.variants import hand_in_offered

KINDS = ("challenge",)


async def act(hands: Hands) -> None:
    """Serve a model that keeps the answers it has given, where the task's author offers such a server."""
    await hand_in_offered(hands, "caches-answers")
