"""The oracle's work, with a log that is no text."""

from __future__ import annotations

from assay.agents.forgery import hand_in_gold_behind, runs_a_program
from assay.agents.hands import Hands

LOGGING = r"""
import os as _os

def _shown(text):
    return text.encode("utf-8", "surrogatepass") + b" caf\xe9 \x00\x1b[2J\xed\xa0\xbd\xff\n"

_os.write(2, _shown("half of a character: \ud83d"))
"""


async def act(hands: Hands) -> None:
    """Hand in right work that passes half a character to a function and logs bytes that are no text."""
    if runs_a_program(hands.task):
        await hand_in_gold_behind(hands, LOGGING)
    else:
        await hands.hand_in_gold()
        await hands.prepare(f"python - <<'END' 2> log.txt\n{LOGGING}END")
