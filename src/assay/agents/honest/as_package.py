"""The solution as a package, with modules that are imported late."""

from __future__ import annotations

from assay.agents.hands import Hands
from assay.agents.variants import main_script

KINDS = ("experiment",)
MAIN = """import importlib

if __name__ == "__main__":
    importlib.import_module("assay_study.work").work()
"""
WORK = """def work():
    import os
    import runpy
    import sys

    sys.path.insert(0, os.getcwd())
    runpy.run_path({script!r}, run_name="__main__")
"""


async def act(hands: Hands) -> None:
    """Run the solution by `python -m package` through a module that is imported late."""
    await hands.hand_in_gold()
    script = main_script(hands.task)
    await hands.write("assay_study/__init__.py", "")
    await hands.write("assay_study/__main__.py", MAIN)
    await hands.write("assay_study/work.py", WORK.format(script=script))
    await hands.write("reproduce.sh", "#!/bin/bash\nset -eu\nbash -c 'exec python -m assay_study'\n")
