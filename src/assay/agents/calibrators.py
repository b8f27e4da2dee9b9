"""Agents of known worth: they measure the task, not themselves."""

from __future__ import annotations

from assay.agents.hands import Hands


async def oracle(hands: Hands) -> None:
    """Hand in the truth; a sound task gives it full marks."""
    await hands.hand_in_gold()


async def idle(hands: Hands) -> None:
    """Hand in nothing; a sound task gives it none."""
