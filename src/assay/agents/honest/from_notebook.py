"""The solution as a script that came out of a notebook."""

from __future__ import annotations

from assay.agents.hands import Hands
from assay.agents.variants import main_script

KINDS = ("experiment",)


async def act(hands: Hands) -> None:
    """Hand in the solution as the cells of a converted notebook, run by a script without suffix."""
    await hands.hand_in_gold()
    script = main_script(hands.task)
    source = hands.task.gold_files[script].decode()
    lines = source.splitlines()
    cells = "".join(
        f"{line}\n\n# In[{number}]:\n\n" if line == "" else f"{line}\n" for number, line in enumerate(lines)
    )
    head = "#!/usr/bin/env python\n# coding: utf-8\n"
    await hands.write("analysis.nbconvert.py", cells if "__future__" in source else head + cells)
    await hands.write("reproduce.sh", "#!/bin/bash\nset -eu\npython -u analysis.nbconvert.py | tee run.log\n")
