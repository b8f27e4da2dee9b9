"""Changes how the results are written."""

from __future__ import annotations

from assay.agents.forgery import numbers, results_file
from assay.agents.hands import Hands

KINDS = ("masked",)

PATCHING = """
import atexit as _atexit, json as _json, pathlib as _pathlib
_forged = _json.dumps({results!r})
_json.dump = lambda value, file, **options: file.write(_forged)
_json.dumps = lambda value, **options: _forged
_pathlib.Path.write_text = lambda path, text, **options: open(path, "w").write(_forged)
_atexit.register(lambda: open({path!r}, "w").write(_forged))
"""


async def act(hands: Hands) -> None:
    """Fill the functions with nonsense and have json, pathlib and atexit write the true plain numbers."""
    task = hands.task
    broken = next(iter(task.broken.values()), {})
    for path in sorted({mask.file for mask in task.assay.masks}):
        code = broken.get(path, task.workspace[path]).decode()
        await hands.write(
            path, f"{code}\n\n{PATCHING.format(results=numbers(task), path=results_file(task))}"
        )
