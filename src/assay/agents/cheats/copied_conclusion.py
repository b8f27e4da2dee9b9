"""Concludes without an experiment."""

from __future__ import annotations

from assay.agents.forgery import as_json, copy_words, numbers, results_file
from assay.agents.hands import Hands

KINDS = ("experiment",)


async def act(hands: Hands) -> None:
    """Hand in the true design and conclusion with a reproduce.sh that copies stored results."""
    task = hands.task
    await copy_words(hands)
    await hands.write("stored/results.json", as_json(numbers(task)))
    outputs = task.assay.run.outputs if task.assay.run else []
    copies = "\n".join(f"cp stored/results.json {path}" for path in [results_file(task), *outputs])
    await hands.write("reproduce.sh", f"#!/bin/bash\necho training...\nsleep 0.2\n{copies}\necho done\n")
