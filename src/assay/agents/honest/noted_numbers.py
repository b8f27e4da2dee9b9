"""Measured numbers in tests and notes that the experiment does not use."""

from __future__ import annotations

from assay.agents.hands import Hands
from assay.tasks import DEFAULT

KINDS = ("experiment",)
TEST = """import json

MEASURED = {measured!r}


def test_the_numbers_are_as_they_were_when_i_wrote_this():
    assert json.load(open("results.json")) and MEASURED
"""
NOTE = """#!/bin/bash
# Makes the environment again; measured on my machine: {measured}
python -m venv --system-site-packages .venv
"""


async def act(hands: Hands) -> None:
    """Hand in the right run beside a test and a script that hold the numbers it gave."""
    await hands.hand_in_gold()
    measured = {name: runs[0] for name, runs in hands.task.gold.get(DEFAULT, {}).items()}
    await hands.write("tests/test_results.py", TEST.format(measured=measured))
    await hands.write("scripts/set_up.sh", NOTE.format(measured=measured))
