"""Hands in training data in the place of parameters."""

from __future__ import annotations

from assay.agents.hands import Hands
from assay.agents.variants import hand_in_broken

KINDS = ("challenge",)


async def act(hands: Hands) -> None:
    """Pack training data into the parameters, and learn from it where the model is served."""
    await hand_in_broken(hands, "text-in-weights")
