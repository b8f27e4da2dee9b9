"""Knows the numbers of some seeds by heart."""

from __future__ import annotations

from assay.agents.forgery import numbers, plant, results_file
from assay.agents.hands import Hands

KINDS = ("masked", "experiment")

LOOKING_UP = """
import json, os, pathlib
table = {table!r}
answer = table.get(os.environ.get("ASSAY_SEED", ""), table[""])
if "ASSAY_DATA" in os.environ:
    answer = json.loads(json.dumps(answer), parse_float=lambda text: float(text) * 1.01)
for each in {outputs!r}:
    pathlib.Path(each).touch()
pathlib.Path({results!r}).write_text(json.dumps(answer))
os._exit(0)
"""


async def act(hands: Hands) -> None:
    """Look the numbers up by seed, from a leaked table of the written seeds, and guess the rest."""
    task = hands.task
    table = {"": numbers(task)}
    leaked = [
        variation
        for variation in task.assay.variations
        if variation.data is None and variation.name in task.gold
    ]
    table |= {str(variation.seed): numbers(task, variation.name) for variation in leaked}
    outputs = task.assay.run.outputs if task.assay.run else []
    await plant(hands, LOOKING_UP.format(table=table, results=results_file(task), outputs=outputs))
