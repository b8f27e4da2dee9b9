"""Hands in right code and never runs it."""

from __future__ import annotations

import json
import shlex

from assay.agents.forgery import numbers, results_file
from assay.agents.hands import Hands

KINDS = ("experiment",)


async def act(hands: Hands) -> None:
    """Hand in the solution beside a reproduce.sh that reads it and then prints the true numbers."""
    await hands.hand_in_gold()
    task = hands.task
    outputs = task.assay.run.outputs if task.assay.run else []
    programs = [path for path in task.gold_files if path.endswith(".py")]
    lines = ["#!/bin/bash", *(f"cat {shlex.quote(path)} > /dev/null" for path in programs)]
    lines += [f"touch {shlex.quote(path)}" for path in outputs]
    printed = shlex.quote(json.dumps(numbers(task) or {"note": 1}))
    lines.append(f"echo {printed} > {shlex.quote(results_file(task))}")
    await hands.write("reproduce.sh", "\n".join(lines) + "\n")
