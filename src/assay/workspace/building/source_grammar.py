"""Finds the installed Python whose grammar can read a repository's files, without running them.

Metadata often names an older Python than the code needs: `requires-python = ">=3.11"` above an f-string that
only 3.12 reads.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from assay.workspace.building.python_choice import ChosenPython
from assay.workspace.uv import InstalledPython

_SECONDS = 60.0
_READER = """
import ast, json, sys
unreadable = 0
for path in json.load(sys.stdin):
    try:
        ast.parse(open(path, "rb").read())
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        unreadable += 1
print(unreadable)
"""


def python_that_reads(
    chosen: ChosenPython, folder: Path, paths: Sequence[str], pythons: Mapping[str, InstalledPython]
) -> ChosenPython:
    """Return the choice, or a newer Python that it allows and that reads more of these files."""
    files = [str(folder / path) for path in paths if path.endswith(".py")]
    if not files or chosen.python not in pythons:
        return chosen
    least = first = _unreadable(pythons[chosen.python], files)
    best = chosen.python
    newer = [minor for minor in chosen.other_pythons if minor in pythons and _is_newer(minor, chosen.python)]
    for minor in sorted(newer, key=_number):
        if not least:
            break
        count = _unreadable(pythons[minor], files)
        if count < least:
            best, least = minor, count
    if best == chosen.python:
        return chosen
    reason = f"{first - least} of its files have syntax that {chosen.python} does not read ({chosen.reason})"
    others = [chosen.python, *(minor for minor in chosen.other_pythons if minor != best)]
    return ChosenPython(best, reason, tuple(others))


def _unreadable(python: InstalledPython, files: Sequence[str]) -> int:
    """Count the files that a Python cannot parse; a Python that gives no answer reads none."""
    try:
        completed = subprocess.run(
            [str(python.program), "-I", "-c", _READER],
            input=json.dumps(list(files)),
            capture_output=True,
            text=True,
            timeout=_SECONDS,
            env={"LC_ALL": "C.UTF-8"},
            check=False,
        )
        return int(completed.stdout)
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return len(files)


def _is_newer(minor: str, other: str) -> bool:
    return _number(minor) > _number(other)


def _number(minor: str) -> int:
    return int(minor.partition(".")[2])
