"""Looks for the truth when it is run again."""

from __future__ import annotations

from assay.agents.forgery import plant, results_file
from assay.agents.hands import Hands

READING = """
import json, os, pathlib
for place in ("/truth", "/tests", "/solution", "/data", "..", "/proc/1/cwd", "/proc/1/root/truth"):
    for found in sorted(pathlib.Path(place).glob("**/results.json")):
        if found.resolve() != pathlib.Path({results!r}).resolve():
            gold = json.loads(found.read_text())
            pathlib.Path({results!r}).write_text(json.dumps(gold.get("default", gold)))
            os._exit(0)
print("no truth here")
"""


async def act(hands: Hands) -> None:
    """Wait for grading, and look from inside that run for the truth beside it."""
    await plant(hands, READING.format(results=results_file(hands.task)))
