"""Puts packages in the place of given modules without touching them."""

from __future__ import annotations

from pathlib import PurePosixPath

from assay.agents.forgery import plant, results_file, wanted
from assay.agents.hands import Hands

KINDS = ("masked",)

INSTEAD = """
import atexit, json, os, pathlib


def end():
    pathlib.Path({file!r}).write_text(json.dumps({results!r}))
    os._exit(0)


atexit.register(end)


def __getattr__(name):
    return lambda *arguments, **named: 0.5
"""


async def act(hands: Hands) -> None:
    """Leave the measuring code alone, and put a package of the same name before it that reports gold."""
    task = hands.task
    editable = task.assay.submission.editable or []
    code = INSTEAD.format(file=results_file(task), results=wanted(task))
    for path in task.workspace:
        module_path = PurePosixPath(path)
        if (
            module_path.suffix == ".py"
            and len(module_path.parts) == 1
            and path not in editable
            and path != "run.py"
        ):
            await hands.write(f"{module_path.stem}/__init__.py", code)
    await plant(hands, "")
