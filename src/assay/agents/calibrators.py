"""Agents of known worth: they measure the task, not themselves."""

from __future__ import annotations

from assay.agents.hands import Hands


async def oracle(hands: Hands) -> None:
    """Hand in the solution; it passes every sound task."""
    await hands.hand_in_gold()


async def idle(hands: Hands) -> None:
    """Hand in nothing; it fails every sound task."""
