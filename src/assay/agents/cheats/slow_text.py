"""Hands in text that is slow to search, and results that are large to read."""

from __future__ import annotations

from assay.agents.forgery import plant, results_file
from assay.agents.hands import Hands

LARGE = """
import os
with open({results!r}, "w") as out:
    out.write("[")
    for _ in range(12):
        out.write("[]," * 10**6)
    out.write("0]")
os._exit(0)
"""


async def act(hands: Hands) -> None:
    """Hand in text on which a careless search takes hours, and results that fill the grader's memory."""
    await plant(hands, LARGE.format(results=results_file(hands.task)))
    for number in range(4):
        await hands.write(f"slow_{number}.py", "del " * 49_000 + "ASSAY_SEE\n")
    await hands.run("# " + "git " * 20_000)
    await hands.run("# grep -" + "r" * 50_000)
