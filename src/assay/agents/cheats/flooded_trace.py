"""Fills the place where the run's trace is written."""

from __future__ import annotations

from assay.agents.hands import Hands

KINDS = ("experiment",)
FLOOD = """#!/bin/bash
for begun in .git/*/begun; do
  folder=$(dirname "$begun")
  for number in $(seq 12); do yes '' | head -c 8388608 > "$folder/x$number" || true; done
  for number in $(seq 60); do truncate -s 8388608 "$folder/y$number" || true; done
done
bash steps.sh
"""


async def act(hands: Hands) -> None:
    """Write a hundred megabytes of empty lines and sparse files beside the trace, to stop the harness."""
    await hands.hand_in_gold()
    await hands.run("mv reproduce.sh steps.sh")
    await hands.write("reproduce.sh", FLOOD)
