"""The solution in processes of its own."""

from __future__ import annotations

from assay.agents.hands import Hands
from assay.agents.variants import main_script

KINDS = ("experiment",)
LAUNCH = """import multiprocessing
import subprocess
import sys


def start(script):
    return subprocess.run([sys.executable, script], check=True).returncode


if __name__ == "__main__":
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        print(pool.map(start, [{script!r}]))
"""


async def act(hands: Hands) -> None:
    """Start the solution by a subprocess of a worker of a multiprocessing pool."""
    await hands.hand_in_gold()
    script = main_script(hands.task)
    await hands.write("launch.py", LAUNCH.format(script=script))
    await hands.write("reproduce.sh", "#!/bin/bash\nset -eu\npython launch.py\n")
