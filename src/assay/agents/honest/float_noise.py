"""A server whose sums are never quite the same."""

from __future__ import annotations

from assay.agents.hands import Hands
from assay.agents.variants import hand_in_offered

KINDS = ("challenge",)


async def act(hands: Hands) -> None:
    """Serve a model whose numbers differ a little from run to run, where the author offers such a server."""
    await hand_in_offered(hands, "float-noise")
