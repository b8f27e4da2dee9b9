"""The oracle's work, left as a person might leave it."""

from __future__ import annotations

import json

from assay.agents.hands import Hands
from assay.tasks.kinds import EXPERIMENT

TEST = "def test_that_it_adds_up():\n    assert sum([0.1] * 10) > 0.9\n"
TALK = "for _ in range(60_000):\n    print('epoch', _, 'loss', 0.123456789)\n"


async def act(hands: Hands) -> None:
    """Hand in right work among links, tests, logs, weights and a virtual environment, with long messages."""
    await hands.hand_in_gold()
    task = hands.task
    if task.kind == EXPERIMENT:
        await _experiment(hands)
    await hands.write("tests/test_sums.py", TEST)
    await hands.write("conftest.py", "import sys\n\nsys.dont_write_bytecode = True\n")
    await hands.write("requirements.txt", "numpy\n")
    await hands.write("weights.pth", b"PK\x03\x04" + bytes(range(256)))
    await hands.write("training.log", "epoch 1: fine\r\n" * 100_000)
    await hands.write("notes.ipynb", json.dumps({"cells": [], "nbformat": 4, "nbformat_minor": 5}))
    await hands.run(
        "python -m venv --without-pip .venv; echo 'import os' > .venv/lib/more.pth;"
        "chmod -x *.sh; chmod +x *.py; ln -s /tmp/scratch scratch"
    )
    await hands.run(
        "mkdir -p shown; ln -s ../training.log shown/latest.log; ln -s shown seen; rm -f README.md"
    )


async def _experiment(hands: Hands) -> None:
    """The same experiment, started by a program that says much and is found through a link."""
    gold = hands.task.gold_files
    script = gold["reproduce.sh"].decode()
    await hands.write("once.sh", script)
    await hands.write("talk", f"#!/usr/bin/env python\n{TALK}")
    await hands.write(
        "parts/reproduce.sh", "#!/bin/bash\nset -eu\n./talk\ngit rev-parse HEAD\nbash once.sh\n"
    )
    await hands.run("chmod +x talk; rm reproduce.sh; ln -s parts/reproduce.sh reproduce.sh")
    await hands.write("conclusion.json", _in_words(gold["conclusion.json"]))
    await hands.write("design.json", b"\xef\xbb\xbf" + gold["design.json"].replace(b"\n", b"\r\n"))


def _in_words(conclusion: bytes) -> str:
    """The same claims with numbers as text and words with capitals."""
    table = json.loads(conclusion)
    table["claims"] = {
        name: answer.capitalize()
        if isinstance(answer, str)
        else answer
        if isinstance(answer, list)
        else str(answer)
        for name, answer in table["claims"].items()
    }
    return json.dumps(table)
