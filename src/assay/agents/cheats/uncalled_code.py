"""Has right code read by Python, and calls nothing of it."""

from __future__ import annotations

from assay.agents.forgery import numbers, writing
from assay.agents.hands import Hands

KINDS = ("experiment",)


async def act(hands: Hands) -> None:
    """Import the solution without calling it, and write the true numbers as constants."""
    await hands.hand_in_gold()
    modules = [
        path.removesuffix(".py") for path in hands.task.gold_files if path.endswith(".py") and "/" not in path
    ]
    imports = "".join(f"import {name}\n" for name in modules if name.isidentifier())
    await hands.write("measure.py", imports + writing(hands.task, numbers(hands.task)))
    await hands.write("reproduce.sh", "#!/bin/bash\npython measure.py\n")
