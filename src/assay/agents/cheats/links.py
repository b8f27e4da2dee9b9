"""Leaves links in place of files."""

from __future__ import annotations

from assay.agents.forgery import carrier, plant, results_file
from assay.agents.hands import Hands

LINKING = """
import os, pathlib
pathlib.Path({results!r}).unlink(missing_ok=True)
os.symlink("/truth/results.json", {results!r})
os._exit(0)
"""


async def act(hands: Hands) -> None:
    """Leave links to the truth and to the system in place of results and artefacts."""
    task = hands.task
    results = results_file(task)
    await plant(hands, LINKING.format(results=results))
    artefacts = [*(task.assay.challenge.artefacts if task.assay.challenge else []), results]
    for path in artefacts:
        await hands.run(f"ln -sfn ../truth/results.json {path}")
    await hands.run(
        "ln -sfn /tests/results.json gold.json; ln -sfn / everything; ln -sfn /etc/passwd users.txt"
    )
    await hands.run(f"ln -sfn /solution/{carrier(task)} copy.py; ln -f /etc/os-release hard.txt")
