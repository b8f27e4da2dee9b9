"""The oracle's work, with a log that is no text."""

from __future__ import annotations

from assay.agents.forgery import hand_in_gold_behind
from assay.agents.hands import Hands

LOGGING = r"""
import os as _os

def _shown(text):
    return text.encode("utf-8", "surrogatepass") + b" caf\xe9 \x00\x1b[2J\xed\xa0\xbd\xff\n"

_os.write(2, _shown("half of a character: \ud83d"))
"""


async def act(hands: Hands) -> None:
    """Hand in right work that passes half a character to a function and logs bytes that are no text."""
    await hand_in_gold_behind(hands, LOGGING)
