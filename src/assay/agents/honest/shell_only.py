"""The solution in one shell script."""

from __future__ import annotations

from assay.agents.hands import Hands

KINDS = ("experiment",)


async def act(hands: Hands) -> None:
    """Hand in reproduce.sh alone: the program stands in it as a here-document."""
    script = next(path for path in hands.task.gold_files if path.endswith(".py"))
    await hands.hand_in_gold(but=script)
    source = hands.task.gold_files[script].decode()
    program = source if source.endswith("\n") else source + "\n"
    await hands.write("reproduce.sh", f"#!/bin/bash\nset -eu\npython - <<'PROGRAM'\n{program}PROGRAM\n")
    await hands.write("plot.py", "# Drawn by hand, after the run.\nSIZE = (4, 3)\n")
