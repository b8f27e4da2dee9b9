"""What attempts without a model import: each of these packages costs more processor time than an attempt."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

NOT_NEEDED = (
    *(
        "acp",
        "openai",
        "fastapi",
        "starlette",
        "uvicorn",
        "matplotlib",
        "pandas",
        "scipy",
        "sklearn",
        "torch",
    ),
    *("textual", "trio._core"),
)


@pytest.mark.long
def test_running_and_grading_attempts_imports_no_statistics_and_no_web_server(
    suite: Path, tmp_path: Path
) -> None:
    program = f"""
import json, sys, assay
from assay.evaluation import Settings
suite = assay.load_suite({str(suite)!r}).only(limit=1)
done = assay.run(suite, agent=["idle", "oracle"], settings=Settings(logs={str(tmp_path / "logs")!r}))
print(json.dumps([len(done.not_made), sorted(set(sys.modules) & set({NOT_NEEDED!r}))]))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout.splitlines()[-1]) == [0, []]


UNUSED = """
import json, sys
from assay.evaluation.attempt_imports import import_for_attempts
import_for_attempts(asks_models=False)
from assay.inspect_private import UNUSED_MODULES
waiting = [name for name in UNUSED_MODULES if type(sys.modules.get(name)) is not type(sys)]
not_needed = sorted(set(sys.modules) & set(NOT_NEEDED))
import inspect_ai, inspect_ai.util, httpx, trio.testing
class Own(inspect_ai.util.InputPanel): pass
inspect_ai.view.__name__
same = [
    inspect_ai.util.InputPanel is sys.modules["inspect_ai.util._panel"].InputPanel is Own.__mro__[1],
    inspect_ai.view is sys.modules["inspect_ai._view.view"].view,
    httpx.main.name == "main",
    trio.testing is sys.modules["trio"].testing,
]
print(json.dumps([sorted(waiting) == sorted(UNUSED_MODULES), not_needed, same]))
"""


def test_the_parts_of_inspect_that_a_run_does_not_use_are_imported_when_they_are_used() -> None:
    program = f"NOT_NEEDED = {NOT_NEEDED!r}\n{UNUSED}"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout.splitlines()[-1]) == [True, [], [True, True, True, True]]
