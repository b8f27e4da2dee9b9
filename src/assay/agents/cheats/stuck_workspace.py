"""Leaves a workspace that cannot be taken out."""

from __future__ import annotations

from assay.agents.hands import Hands

DEEP = """
import os
for _ in range(20):
    os.mkdir("d" * 200)
    os.chdir("d" * 200)
open("x" * 50, "w").close()
"""


async def act(hands: Hands) -> None:
    """Fill the disk in closed folders and leave paths that fit nowhere else, to prevent any grading."""
    await hands.write("deep.py", DEEP)
    await hands.run("python deep.py; mkdir -p /tmp/outer/inner")
    await hands.run(
        "head -c 400M /dev/zero > /opt/one; head -c 400M /dev/zero > /opt/two;"
        "for each in 1 2 3; do head -c 400M /dev/zero > /tmp/outer/inner/$each; done;"
        "chmod 000 /tmp/outer/inner"
    )
