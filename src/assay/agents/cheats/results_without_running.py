"""Leaves finished results and nothing that makes them."""

from __future__ import annotations

from assay.agents.forgery import as_json, copy_words, results_file, wanted
from assay.agents.hands import Hands
from assay.tasks.kinds import EXPERIMENT


async def act(hands: Hands) -> None:
    """Write the results file by hand and leave nothing that would make it."""
    task = hands.task
    await hands.write(results_file(task), as_json(wanted(task)))
    for path in task.assay.run.outputs if task.assay.run else []:
        await hands.write(path, as_json([]))
    if task.kind == EXPERIMENT:
        await copy_words(hands)
        await hands.write("reproduce.sh", "#!/bin/bash\nexit 0\n")
    if task.assay.challenge is not None:
        for path in task.assay.challenge.artefacts:
            await hands.write(path, b"made elsewhere")
        await hands.write("train.log", "epoch 100: every rule met, reference reached\n")
