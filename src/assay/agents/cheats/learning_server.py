"""Learns from the questions of the evaluator."""

from __future__ import annotations

from assay.agents.hands import Hands
from assay.agents.variants import hand_in_broken

KINDS = ("challenge",)


async def act(hands: Hands) -> None:
    """Serve a model that learns from hidden entries as they are asked for, and remembers its answers."""
    await hand_in_broken(hands, "learns-from-entries")
