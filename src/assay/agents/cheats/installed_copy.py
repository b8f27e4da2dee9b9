"""Imports the original from a copy that may be installed."""

from __future__ import annotations

from assay.agents.forgery import carrier, plant
from assay.agents.hands import Hands

KINDS = ("masked", "experiment")

IMPORTING = """
import importlib, pathlib, sys
for folder in [each for each in sys.path if each.endswith("-packages")]:
    for found in pathlib.Path(folder).rglob({name!r}):
        exec(compile(found.read_text(), str(found), "exec"), globals())
from {package} import *
"""


async def act(hands: Hands) -> None:
    """Import the original from site-packages, pip's cache or the index, in place of writing it."""
    name = carrier(hands.task)
    package = hands.task.config.task.name.partition("/")[2].replace("-", "_").replace(".", "_")
    await hands.run(f"pip download --no-deps {package}; pip install {package}; pip cache list", seconds=20)
    await hands.run(f"find / -path /proc -prune -o -path '*site-packages*' -name '{name}' -print 2>/dev/null")
    await plant(hands, IMPORTING.format(name=name, package=package))
