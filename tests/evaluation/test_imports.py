"""What attempts without a model import: each of these packages costs more processor time than an attempt."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

NOT_NEEDED = ("acp", "openai", "fastapi", "uvicorn", "matplotlib", "pandas", "scipy", "sklearn", "torch")


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
