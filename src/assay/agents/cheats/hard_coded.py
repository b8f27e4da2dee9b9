"""Writes the expected numbers as constants."""

from __future__ import annotations

from assay.agents.forgery import numbers, plant, writing
from assay.agents.hands import Hands

KINDS = ("masked", "experiment")


async def act(hands: Hands) -> None:
    """Hard-code the true numbers of the plain run, whatever the seed or the data."""
    await plant(hands, writing(hands.task, numbers(hands.task)))
