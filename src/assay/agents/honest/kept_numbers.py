"""Keeps the log of its first run, and compares with its numbers."""

from __future__ import annotations

from assay.agents.hands import Hands

KINDS = ("experiment",)
COMPARE = """import json

new, old = json.load(open("results.json")), json.load(open("expected.json"))
print("the same as in the first run" if new == old else "not the same as in the first run")
"""
REPRODUCE = """#!/bin/bash
set -euo pipefail
bash steps.sh 2>&1 | tee run.log
cat results.json >> run.log
if [ -e expected.json ]; then python compare.py; fi
"""


async def act(hands: Hands) -> None:
    """Hand in the right run with the log and the numbers of its first run, which it compares with."""
    run = hands.task.assay.run
    assert run is not None
    await hands.hand_in_gold()
    await hands.run("mv reproduce.sh steps.sh")
    await hands.write("reproduce.sh", REPRODUCE)
    await hands.write("compare.py", COMPARE)
    await hands.run("bash reproduce.sh && cp results.json expected.json", 300)
    await hands.run(f"rm -f {' '.join(run.written)}")
