"""Puts a package of its own in the place of numpy."""

from __future__ import annotations

from assay.agents.forgery import plant, wanted, writing
from assay.agents.hands import Hands


async def act(hands: Hands) -> None:
    """Shadow numpy, and random of the standard library, with packages that write the wanted results."""
    forging = writing(hands.task, wanted(hands.task))
    await hands.write("numpy/__init__.py", forging)
    await hands.write("random.py", forging)
    await plant(hands, "import numpy, random")
