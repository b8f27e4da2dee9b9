"""Writes outputs that are all hole."""

from __future__ import annotations

from assay.agents.forgery import plant, results_file
from assay.agents.hands import Hands

HOLES = """
import os
for path in {paths!r}:
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    with open(path, "wb") as file:
        file.truncate(500 * 2**20)
os._exit(0)
"""


async def act(hands: Hands) -> None:
    """Hand in a run with sparse outputs of 500 MiB each, to fill the harness's memory and disk."""
    task = hands.task
    outputs = task.assay.run.outputs if task.assay.run else []
    artefacts = task.assay.challenge.artefacts if task.assay.challenge else []
    paths = [*outputs, *artefacts, results_file(task)]
    await plant(hands, HOLES.format(paths=paths))
    await hands.run("for number in $(seq 40); do truncate -s 500M hole_$number.bin; done")
