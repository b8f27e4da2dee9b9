"""The oracle's work, which calls a compiled program and logs into a folder that was empty."""

from __future__ import annotations

from assay.agents.forgery import carrier
from assay.agents.hands import Hands
from assay.tasks.kinds import EXPERIMENT

CALL = """
import subprocess
subprocess.run(["./bin/helper"], check=True, cwd={folder!r})
with open({folder!r} + "/logs/run/log.txt", "w") as _file:
    _file.write("helped")
"""


async def act(hands: Hands) -> None:
    """Hand in right work that runs a compiled helper and writes into a folder made by hand."""
    await hands.hand_in_gold()
    if hands.task.assay.submission.code_only:
        return  # such a task says that nothing but code is taken
    await hands.run("mkdir -p bin logs/run; cp /bin/true bin/helper; chmod +x bin/helper")
    if hands.task.kind == EXPERIMENT:
        script = hands.task.gold_files["reproduce.sh"].decode()
        await hands.write("once.sh", script)
        helped = "#!/bin/bash\nset -eu\n./bin/helper\ndate > logs/run/log.txt\nbash once.sh\n"
        await hands.write("reproduce.sh", helped)
        return
    path = carrier(hands.task)
    source = hands.task.gold_files.get(path, hands.task.workspace.get(path, b"")).decode()
    await hands.write(path, f"{source}\n{CALL.format(folder='/workspace')}")
