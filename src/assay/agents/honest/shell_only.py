"""The solution in one shell script."""

from __future__ import annotations

from assay.agents.hands import Hands
from assay.agents.variants import main_script

KINDS = ("experiment",)


async def act(hands: Hands) -> None:
    """Hand in reproduce.sh alone: the program stands in it as a here-document."""
    script = main_script(hands.task)
    await hands.hand_in_gold(but=script)
    source = hands.task.gold_files[script].decode()
    program = source if source.endswith("\n") else source + "\n"
    await hands.write("reproduce.sh", f"#!/bin/bash\nset -eu\npython - <<'PROGRAM'\n{program}PROGRAM\n")
    await hands.write("plot.py", "# Drawn by hand, after the run.\nSIZE = (4, 3)\n")
